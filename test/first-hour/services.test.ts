import { describeMistakes } from "./mistakes.js";

describeMistakes("connecting, serving and engines", [
  ["connect()", "NoAddress", "Pass url to connect() or set ARROWBOOK_URL"],
  [
    'connect("https://data.example")',
    "BadArgument",
    'The options are "url", "apiKey", "keyHeader", "proxy", "ca", "fetch", "profile"',
  ],
  ['connect({ url: "data.example" })', "BadAddress", "Pass http(s)://host or http(s)://host/path, without a query"],
  [
    'connect({ url: "ftp://data.example" })',
    "BadAddress",
    "Pass http(s)://host or http(s)://host/path, without a query",
  ],
  ['connect({ url: "https://x.example", apikey: "k" })', "UnknownOption", 'Did you mean "apiKey"?'],
  ['connect({ url: "https://x.example", timeout: 5 })', "UnknownOption", 'Did you mean "timeouts"?'],
  [
    'connect({ url: "https://x.example", timeouts: { reply: 5 } })',
    "UnknownOption",
    'The options are "response", "idle", "total", "download", "export"',
  ],
  [
    'connect({ url: "https://x.example", retry: 3 })',
    "BadArgument",
    'The options are "attempts", "pause", "maxPause", "budget"',
  ],
  [
    'connect({ url: "https://x.example", retry: { times: 3 } })',
    "UnknownOption",
    'The options are "attempts", "pause", "maxPause", "budget"',
  ],
  ['connect({ url: "https://x.example", profile: "nasdaq" })', "UnknownValue", 'Did you mean "nasdaqDataLink"?'],
  [
    'connect.sample({ url: "https://x.example" })',
    "UnknownOption",
    "Pass it to connect({ url: … }) for another service",
  ],
  ['defineProfile({ nme: "x" })', "BadArgument", 'Start from one: defineProfile(specification, { name: "own", … })'],
  ['serve({ data: "/nowhere" })', "FileNotFound", "Pass a folder with a catalog.json (docs/server.md, The catalogue)"],
  ["serve({})", "NoData", "Pass a folder with a catalog.json as data (docs/server.md)"],
  ['serve({ data: { "A/B": 5 } })', "BadArgument", "Pass the path of a folder with a catalog.json, or sampleData()"],
  ["serve({ data: {}, prot: 80 })", "UnknownOption", 'Did you mean "port"?'],
  [
    'duckdb().then(e => e.query("selct"))',
    "BadStatement",
    "Put names with spaces or capitals in double quotes, strings in single quotes",
  ],
  ['duckdb().then(e => e.load("a b", 5))', "BadArgument", "Pass a frame, an Arrow table or record batches"],
  ["duckdb({ memory: 1 })", "BadArgument", 'Options are the second argument: duckdb("data.duckdb", { threads: 2 })'],
  ['connect({ url: "https://x.example", apiKey: { key: "k" } })', "BadArgument", "Pass the key as text: apiKey: [key]"],
  ['connect({ url: "https://x.example", limits: { concurrent: 2 } })', "UnknownOption", 'Did you mean "concurrency"?'],
  [
    'connect({ url: "https://x.example?api_key=abc" })',
    "BadAddress",
    "Pass http(s)://host or http(s)://host/path, without a query",
  ],
  ["duckdb({ threads: 2 })", "BadArgument", 'Options are the second argument: duckdb("data.duckdb", { threads: 2 })'],
  [
    "duckdb().then((e) => e.query(5))",
    "BadStatement",
    "Put names with spaces or capitals in double quotes, strings in single quotes",
  ],
  ['duckdb().then((e) => e.load("prices", "x.csv"))', "BadArgument", "Pass a frame, an Arrow table or record batches"],
  ['duckdb().then((e) => e.load("prices", p, { mode: "insert" }))', "UnknownValue", 'Did you mean "upsert"?'],
  [
    'duckdb().then((e) => e.load("prices", p, { mode: "upsert" }))',
    "BadArgument",
    'Pass them: load(name, rows, { mode: "upsert", key: ["ticker", "date"] })',
  ],
  ["duckdb(undefined, { memory: 1 })", "UnknownOption", 'Did you mean "memoryLimit"?'],
  [
    'serve({ data: { }, profile: "nasdaq" })',
    "BadArgument",
    "Pass the path of a folder with a catalog.json, or sampleData()",
  ],
  ['serve({ port: "http" })', "BadArgument", "Pass a number from 0 to 65535"],
]);
