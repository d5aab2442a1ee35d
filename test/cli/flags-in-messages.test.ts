import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { withFlags } from "../../src/cli/messages/flags-in-messages.js";

/* Messages and hints of the library that commands can show, and what the command line makes of them. */
it.each([
  ["Call sync() first.", "Run arrowbook sync first."],
  ["Call sync(): it exports the table again.", "Run arrowbook sync: it exports the table again."],
  [
    "Pass url to connect() or set ARROWBOOK_URL; connect.sample() starts a service with sample data.",
    "Pass --url or set ARROWBOOK_URL; --sample starts a service with sample data.",
  ],
  [
    "Check the address passed to connect() or in ARROWBOOK_URL, and that the service is running.",
    "Check the address of --url or ARROWBOOK_URL, and that the service is running.",
  ],
  [
    "VENDOR/TABLE for a table; and the address passed to connect({ url }).",
    "VENDOR/TABLE for a table; and the address of --url or ARROWBOOK_URL.",
  ],
  [
    "Check the API key passed to connect() or in ARROWBOOK_API_KEY: see docs/client.md.",
    "Check the API key of --key, --key-file or ARROWBOOK_API_KEY: see docs/client.md.",
  ],
  [
    "Pass http(s)://host/path, without a query; pass the key as apiKey.",
    "Pass http(s)://host/path, without a query; pass the key by --key-file.",
  ],
  [
    "The profile a has this root: connect({ profile: nasdaqDataLink }).",
    "The profile a has this root: --profile nasdaqDataLink.",
  ],
  [
    "The address or the profile may belong to another service: see connect({ profile }).",
    "The address or the profile may belong to another service: see --profile.",
  ],
  [
    'If the service has moved there, pass its new address: connect({ url: "https://b.example" }).',
    'If the service has moved there, pass its new address: --url "https://b.example".',
  ],
  ["a wrong address; check connect({ url }).", "a wrong address; check --url or ARROWBOOK_URL."],
  [
    "Check the address of the service: connect({ url }) takes its base address: see docs/client.md.",
    "Check the address of the service: --url or ARROWBOOK_URL takes its base address: see docs/client.md.",
  ],
  [
    'If the service replies so on purpose, leave "echo", "rows" out of the profile\'s replyChecks: connect({ profile: defineProfile(specification, { replyChecks: […] }) }).',
    'If the service replies so on purpose, leave "echo", "rows" out of the profile\'s replyChecks (in a program; there is no flag for it): see docs/profiles.md.',
  ],
  [
    "Set the root in the profile: defineProfile(…, { xmlRoot }).",
    "Set the root in the profile (in a program; there is no flag for it): see docs/profiles.md.",
  ],
  ["Try again then, or raise retry.budget of connect().", "Try again then."],
  ["Try again, or raise the timeouts of connect().", "Try again."],
  ["Run it again to resume; timeouts.download of connect() allows longer downloads.", "Run it again to resume."],
  [
    "Wait, or use an existing export; limits.exportsPerHour of connect() sets another limit.",
    "Wait, or use an existing export.",
  ],
  [
    'Try again later; timeouts.export of connect() sets the limit, and stale: "use" accepts an older file.',
    "Try again later; --stale use accepts an older file.",
  ],
  [
    "Raise the limit with maxRatio if the archive is trusted.",
    "Raise the limit with --max-ratio if the archive is trusted.",
  ],
  ["Check HTTPS_PROXY and HTTP_PROXY, or pass proxy: false to connect().", "Check HTTPS_PROXY and HTTP_PROXY."],
  [
    'Filter by "ticker"; where({ … }, { local: true }) filters by the rest here, after the rows have arrived.',
    'Filter by "ticker"; filter the output by the rest with arrowbook sql.',
  ],
  ["Leave this condition out of where() and filter the frame.", "Leave this condition out of --where."],
  [
    "metadata() lists the columns; the first one has number 0.",
    "arrowbook meta dataset lists the columns; the first one has number 0.",
  ],
  [
    "rows may be missing. An export (.export()) is complete.",
    "rows may be missing. An export (arrowbook export) is complete.",
  ],
  [
    'Send the query again, or with .format("json"), which includes the column types.',
    "Send the query again, or --format json, which includes the column types.",
  ],
  ['looks complete; format("json") detects it.', "looks complete; --format json detects it."],
  [
    'Its tables remain: service.table("VENDOR/TABLE"). Frame.fromParquet() and the like read series saved before.',
    "Its tables remain: arrowbook get table VENDOR/TABLE. arrowbook sql reads series saved before.",
  ],
  [
    'The frame of frame.sql() is called this: select … from this. An engine names frames: engine.load("x", frame).',
    "A table has the name of its file; NAME=FILE names it otherwise.",
  ],
  [
    'The option delimiter of fromCSV() expects one character of ASCII; got ";;".',
    '--delimiter expects one character of ASCII; got ";;".',
  ],
  [
    'The column "ticker" is String; since needs dates or times.',
    'The column "ticker" is String; --since needs dates or times.',
  ],
  [
    "Leave since out: every change then exports the whole table.",
    "Leave --since out: every change then exports the whole table.",
  ],
  [
    "It can by: date. Without since every change exports the whole table.",
    "It can by: date. Without --since every change exports the whole table.",
  ],
  ["Leave by out, or pass the path of a folder.", "Leave --by out, or pass the path of a folder."],
])("%s", (text, shown) => {
  expect(withFlags(text)).toBe(shown);
});

it("leaves other messages as they are", () => {
  const others = [
    "Check the path.",
    'MARKET/PRICES has no column "since". Did you mean "by"?',
    "The service is down since yesterday.",
  ];
  expect(others.map(withFlags)).toEqual(others);
});

/** Messages about arguments that commands never pass. */
const NOT_OF_COMMANDS = [
  "connect({ cache })",
  " of connect() is",
  'Use .format("json") or .format("xml"), or call metadata()',
  "where() expects",
  "Pass an object: where(",
  "connect() expects apiKey",
  "where} })",
  "defineProfile() expects",
];

it("covers every message about the service that names a call", () => {
  const folders = ["client", "document", "format", "spec"].map((name) =>
    fileURLToPath(new URL(`../../src/${name}`, import.meta.url)),
  );
  const code = folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((path) => path.endsWith(".ts"))
    .map((path) => readFileSync(path, "utf8").replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, ""));
  const texts = code.flatMap((text) => text.match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g) ?? []);
  const messages = texts.map((text) => text.slice(1, -1)).filter((text) => text.includes(" "));
  const calls = /\bconnect\(|\bdefineProfile\(|\.format\(|\bwhere\(/;
  const left = messages.filter((text) => calls.test(withFlags(text)));
  expect(NOT_OF_COMMANDS.filter((part) => !left.some((text) => text.includes(part)))).toEqual([]);
  expect(left.filter((text) => !NOT_OF_COMMANDS.some((part) => text.includes(part)))).toEqual([]);
});
