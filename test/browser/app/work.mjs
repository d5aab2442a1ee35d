const ZIPPED = [
  { name: "t", type: "String" },
  { name: "x", type: "BigDecimal(3,1)" },
];

// What a page does with arrowbook, run in Node too: both must give the same.
export async function work({ connect, Frame, sessions, csvBatches }, { url, key, parquet, arrow, zstd, nested, zip }) {
  const csv = "day,city,rain\n2024-01-02,Oslo,1.5\n2024-01-03,Oslo,0\n2024-01-02,Rome,12.25\n2024-01-03,Rome,\n";
  const bytes = new TextEncoder().encode(csv);
  const file = new File([bytes], "rain.csv");
  const read = await Frame.fromCSV(file);
  const batches = [];
  for await (const batch of csvBatches(new Blob([bytes]))) batches.push(batch.numRows);
  const service = connect({ url, apiKey: key });
  const series = await service.dataset("MARKET/AAA").from("2020-01-01").to("2020-03-31").frame();
  const table = await service.table("MARKET/PRICES").where({ ticker: "AAA" }).limit(20).frame();
  return {
    csv: read.toArray(),
    columns: read.columns,
    source: read.source?.code,
    batches,
    grouped: read.groupBy("city").agg({ rain: "sum" }).toArray(),
    sorted: read.sort(["rain", "desc"]).toCSV(),
    written: [read.toCSV(), read.toJSONLines()],
    ipc: (await Frame.fromArrow(read.toIPC())).toArray(),
    parquet: (await Frame.fromParquet(new Blob([parquet]))).toArray(),
    zip: (await Frame.fromZip(new File([zip], "t.zip"), { columns: ZIPPED })).toArray(),
    nested: (await Frame.fromParquet(nested)).toJSONLines(),
    zstd: (await Frame.fromParquet(zstd)).toArray(),
    arrow: (await Frame.fromArrow(new Blob([arrow]))).toArray(),
    json: (await Frame.fromJSONLines(new TextEncoder().encode('{"a":1.10}\n{"a":2}\n'))).toArray(),
    monthly: series.resample("monthly").toArray(),
    rolling: series.select("Date", "Close").rolling(5, "mean").toArray(),
    table: table.toArray(),
    sessions: sessions("XNYS", "2024-11-25", "2024-12-02").toArray(),
    chart: series.plot({ x: "Date", y: "Close" }).spec,
    // A page measures texts with its own fonts.
    svg: /^<svg .*<path .*<\/svg>$/s.test(series.plot({ x: "Date", y: "Close" }).toSVG()),
    drawn:
      "application/vnd.vegalite.v5+json" in series.plot({ x: "Date", y: "Close" })[Symbol.for("Jupyter.display")](),
    html: read[Symbol.for("Jupyter.display")]()["text/html"],
    explored: read
      .explore()
      [Symbol.for("Jupyter.display")]()
      ["text/html"].replace(/arrowbook-[0-9a-f]{12}/g, "id"),
    text: String(read),
  };
}

/** Calls that need Node, and their codes in a page. */
export async function refused({ connect, Frame, Mirror, bulkFile }) {
  const codeOf = async (call) => {
    try {
      await call();
      return "none";
    } catch (error) {
      return `${error.name} ${error.code}`;
    }
  };
  const frame = Frame.fromRows([{ a: 1 }]);
  return {
    path: await codeOf(() => Frame.fromCSV("prices.csv")),
    parquet: await codeOf(() => Frame.fromParquet("prices.parquet")),
    write: await codeOf(() => frame.toCSV("prices.csv")),
    writeParquet: await codeOf(() => frame.toParquet("prices.parquet")),
    sample: await codeOf(() => connect.sample()),
    mirror: await codeOf(() => Mirror.open("folder")),
    bulk: await codeOf(() => bulkFile("prices.zip")),
    sql: await codeOf(() => frame.sql("SELECT 1")),
    cache: await codeOf(() => connect({ url: "http://x.example", cache: true })),
    proxy: await codeOf(() => connect({ url: "http://x.example", proxy: "http://proxy:1" })),
    png: await codeOf(() => frame.plot({ y: "a" }).toPNG()),
  };
}
