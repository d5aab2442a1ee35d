// The calls of the official Python client, each with the same question in this package: `ours` returns a frame or a
// plain value, `error` is the client's exception class. Without either, the value itself is in `value`.
const series = (change) => (service) => change(service.dataset("MARKET/AAA").order("asc")).frame();
const table =
  (change, code = "MARKET/PRICES") =>
  (service) =>
    change(service.table(code)).frame();
const bulk = (code, type) => (service) => service.database(code).bulk(type).frame();
/** Rows as a mirror with history has them. */
const past = (times) => (service) => service.copy.frame(times);
const TICKERS = ["AAA", "BBB"];
const DAYS = { gte: "2024-12-01", lte: "2024-12-31" };
/** Longer than an address may be: the client sends it by POST. */
const LONG = `["AAA", "BBB"] + [f"NONE{i}" for i in range(1200)]`;

/** Without `paginate` the client takes the first page only. */
const first = (rows) => (frame) => frame.head(rows);
const PAGE = { part: first(10_000) };

const merged =
  (...codes) =>
  (service) =>
    service.datasets(codes).from("2024-01-01").to("2024-02-01").order("asc").frame();

export const groups = {
  "get of one series": [
    ["ndl.get('MARKET/AAA')", series((q) => q)],
    ["ndl.get('CLIMATE/CO2')", (s) => s.dataset("CLIMATE/CO2").order("asc").frame()],
    [
      "ndl.get('LABOR/EMPLOYMENT', start_date='2010-01-01')",
      (s) => s.dataset("LABOR/EMPLOYMENT").from("2010-01-01").order("asc").frame(),
    ],
    [
      "ndl.get('WEATHER/SEATTLE', end_date='2012-12-31')",
      (s) => s.dataset("WEATHER/SEATTLE").to("2012-12-31").order("asc").frame(),
    ],
    [
      "ndl.get('MARKET/AAA', start_date='2024-01-01', end_date='2024-03-31')",
      series((q) => q.from("2024-01-01").to("2024-03-31")),
    ],
    ["ndl.get('MARKET/AAA', start_date=datetime.date(2024, 1, 1))", series((q) => q.from("2024-01-01"))],
    ["ndl.get('MARKET/AAA', start_date=datetime.datetime(2024, 1, 1))", series((q) => q.from("2024-01-01"))],
    ["ndl.get('MARKET/AAA', end_date=pandas.Timestamp('2024-01-31'))", series((q) => q.to("2024-01-31"))],
    ...["daily", "weekly", "monthly", "quarterly", "annual"].map((c) => [
      `ndl.get('MARKET/AAA', collapse='${c}')`,
      series((q) => q.collapse(c)),
    ]),
    ...["diff", "rdiff", "rdiff_from", "cumul", "normalize"].map((t) => [
      `ndl.get('MARKET/AAA', transform='${t}')`,
      series((q) => q.transform(t)),
    ]),
    [
      "ndl.get('MARKET/AAA', collapse='monthly', transform='rdiff', limit=6)",
      series((q) => q.collapse("monthly").transform("rdiff").limit(6)),
    ],
    ["ndl.get('MARKET/AAA', rows=5)", series((q) => q.limit(5))],
    ["ndl.get('MARKET/AAA', limit=5)", series((q) => q.limit(5))],
    ["ndl.get('MARKET/AAA', order='desc', rows=5)", series((q) => q.order("desc").limit(5))],
    ["ndl.get('MARKET/AAA', column_index=4)", series((q) => q.column(4))],
    ["ndl.get('MARKET/AAA.4')", series((q) => q.column("Close"))],
    ["ndl.get('MARKET/AAA.99')", undefined, { value: { columns: ["Not Found"], rows: [] } }],
    ["ndl.get('MARKET/AAA', returns='numpy', rows=5)", series((q) => q.limit(5))],
    [
      "ndl.get('MARKET/AAA', trim_start='2024-01-01', trim_end='2024-02-01')",
      series((q) => q.from("2024-01-01").to("2024-02-01")),
    ],
    ["ndl.get('MARKET/AAA', sort_order='desc', rows=3)", series((q) => q.order("desc").limit(3))],
    ["ndl.get('MARKET/AAA', transformation='diff', rows=3)", series((q) => q.transform("diff").limit(3))],
    ["ndl.get('MARKET/AAA', authtoken='sample', rows=3)", series((q) => q.limit(3))],
    ["ndl.get('MARKET/AAA', api_key='sample', rows=3)", series((q) => q.limit(3))],
    ["ndl.get('MARKET/NONE')", undefined, { error: "NotFoundError" }],
    ["ndl.get('NONE/AAA')", undefined, { error: "NotFoundError" }],
    ["ndl.get('MARKETAAA')", undefined, { error: "SyntaxError" }],
    ["ndl.get('MARKET/AAA.close')", undefined, { error: "ValueError" }],
    ["ndl.get(5)", undefined, { error: "InvalidRequestError" }],
    ["ndl.get('MARKET/AAA', collapse='hourly')", undefined, { error: "InvalidRequestError" }],
    ["ndl.get('MARKET/AAA', start_date='yesterday')", undefined, { error: "InvalidRequestError" }],
    ["with_config(lambda: ndl.get('MARKET/AAA'), api_key='wrong')", undefined, { error: "AuthenticationError" }],
    ["with_config(lambda: ndl.get('MARKET/AAA'), api_key=None)", undefined, { error: "ForbiddenError" }],
    ["with_config(lambda: ndl.get('MARKET/AAA'), api_key='free')", undefined, { error: "ForbiddenError" }],
  ],
  "get of several series, MergedDataset": [
    [
      "ndl.get(['MARKET/AAA', 'MARKET/BBB'], start_date='2024-01-01', end_date='2024-02-01')",
      merged("MARKET/AAA", "MARKET/BBB"),
    ],
    [
      "ndl.get(['MARKET/AAA.4', 'MARKET/BBB.1'], start_date='2024-01-01', end_date='2024-02-01')",
      merged("MARKET/AAA.4", "MARKET/BBB.1"),
    ],
    [
      "ndl.get(['MARKET/AAA.4', 'LABOR/EMPLOYMENT.1'], start_date='2024-01-01', end_date='2024-02-01')",
      merged("MARKET/AAA.4", "LABOR/EMPLOYMENT.1"),
    ],
    [
      "ndl.get(['MARKET/AAA.4', 'MARKET/BBB.4'], order='desc', returns='numpy', start_date='2024-01-01', end_date='2024-02-01')",
      async (s) => (await merged("MARKET/AAA.4", "MARKET/BBB.4")(s)).sort(["Date", "desc"]),
    ],
    [
      "ndl.get(['MARKET/AAA.4', 'MARKET/BBB.4'], collapse='monthly', transform='diff', start_date='2023-01-01')",
      (s) =>
        s
          .datasets(["MARKET/AAA.4", "MARKET/BBB.4"])
          .collapse("monthly")
          .transform("diff")
          .from("2023-01-01")
          .order("asc")
          .frame(),
    ],
    [
      "list(ndl.get(['MARKET/AAA.4', 'MARKET/NONE'], rows=2).columns)",
      undefined,
      { value: ["MARKET/AAA - Close", "MARKET/NONE - Not Found"] },
    ],
    [
      "ndl.MergedDataset(['MARKET/AAA', ('MARKET/BBB', {'column_index': [1, 4]})]).column_names",
      async (s) => {
        const { column_names: names } = await s.dataset("MARKET/AAA").metadata();
        return ["Date", ...names.slice(1).map((n) => `MARKET/AAA - ${n}`), "MARKET/BBB - Open", "MARKET/BBB - Close"];
      },
    ],
    [
      "ndl.MergedDataset([('MARKET/BBB', {'column_index': [1, 4]})]).data(params={'start_date': '2024-01-01', 'end_date': '2024-02-01'}).to_pandas()",
      merged("MARKET/BBB.1", "MARKET/BBB.4"),
    ],
    [
      "ndl.MergedDataset(['MARKET/AAA', 'LABOR/EMPLOYMENT']).oldest_available_date",
      async (s) =>
        [await s.dataset("MARKET/AAA").metadata(), await s.dataset("LABOR/EMPLOYMENT").metadata()]
          .map((m) => m.oldest_available_date)
          .sort()[0],
    ],
    [
      "ndl.MergedDataset(['MARKET/AAA', 'LABOR/EMPLOYMENT']).newest_available_date",
      async (s) =>
        [await s.dataset("MARKET/AAA").metadata(), await s.dataset("LABOR/EMPLOYMENT").metadata()]
          .map((m) => m.newest_available_date)
          .sort()[1],
    ],
  ],
  Dataset: [
    ["ndl.Dataset('MARKET/AAA').name", async (s) => (await s.dataset("MARKET/AAA").metadata()).name],
    ["ndl.Dataset('MARKET/AAA').column_names", async (s) => (await s.dataset("MARKET/AAA").metadata()).column_names],
    [
      "ndl.Dataset('MARKET/AAA').newest_available_date",
      async (s) => (await s.dataset("MARKET/AAA").metadata()).newest_available_date,
    ],
    [
      "[ndl.Dataset('LABOR/EMPLOYMENT')[k] for k in ['id', 'frequency', 'type', 'premium']]",
      async (s) => {
        const { id, frequency, type, premium } = await s.dataset("LABOR/EMPLOYMENT").metadata();
        return [id, frequency, type, premium];
      },
    ],
    ["ndl.Dataset('MARKET/AAA').data(params={'limit': 5}).to_pandas()", series((q) => q.limit(5))],
    ["ndl.Dataset('MARKET/AAA').data(params={'limit': 5}).to_numpy()", series((q) => q.limit(5))],
    [
      "ndl.Dataset('MARKET/AAA').data(params={'limit': 5}).to_list()",
      async (s) => rowsOf(await series((q) => q.limit(5))(s)),
    ],
    [
      "ndl.Dataset('MARKET/AAA').data(params={'limit': 5})[0].close",
      async (s) => (await series((q) => q.limit(1))(s)).column("Close").get(0),
    ],
    [
      "ndl.Dataset('MARKET/AAA').data(params={'limit': 5}).meta['frequency']",
      async (s) => (await s.dataset("MARKET/AAA").metadata()).frequency,
    ],
    ["ndl.Dataset('MARKET/AAA').data(params={'column_index': 99})", undefined, { error: "ColumnNotFound" }],
    ["ndl.Dataset('MARKET/AAA').database().name", async (s) => (await s.database("MARKET").metadata()).name],
    ["[d.code for d in ndl.Dataset.all()]", (s) => s.catalogOf("dataset")],
    ["[d.code for d in ndl.Dataset.all(params={'query': 'AAA'})]", undefined, { value: ["MARKET/AAA"] }],
    ["ndl.Dataset.all(params={'per_page': 2}).has_more_results()", undefined, { value: true }],
    ["ndl.Dataset.all(params={'per_page': 2, 'page': 2}).current_first_item", undefined, { value: 3 }],
    ["ndl.Dataset('MARKET/NONE').name", undefined, { error: "NotFoundError" }],
  ],
  Database: [
    ["ndl.Database('MARKET').name", async (s) => (await s.database("MARKET").metadata()).name],
    ["ndl.Database('MARKET').premium", undefined, { value: true }],
    ["ndl.Database('WEATHER').datasets_count", undefined, { value: 2 }],
    ["ndl.Database('NONE').name", undefined, { error: "NotFoundError" }],
    ["[d.code for d in ndl.Database.all()]", (s) => s.catalogOf("database")],
    ["ndl.Database.all(params={'per_page': 1}).total_count", async (s) => (await s.catalogOf("database")).length],
    [
      "[d.code for d in ndl.Database('WEATHER').datasets()]",
      undefined,
      { value: ["WEATHER/SEATTLE", "WEATHER/NEWYORK"] },
    ],
    [
      "[d.code for d in ndl.Database('WEATHER').datasets(params={'query': 'york', 'page': 1, 'per_page': 5})]",
      undefined,
      { value: ["WEATHER/NEWYORK"] },
    ],
    [
      "ndl.Database('MARKET').bulk_download_url(params={'download_type': 'partial'}).split('?')[0].endswith('/databases/MARKET/data')",
      undefined,
      { value: true },
    ],
    ["saved(lambda p: ndl.Database('MARKET').bulk_download_to_file(p), 'all.zip')", bulk("MARKET", "full")],
    [
      "saved(lambda p: ndl.Database('MARKET').bulk_download_to_file(p, params={'download_type': 'partial'}), 'latest.zip')",
      bulk("MARKET", "partial"),
    ],
    ["ndl.Database('MARKET').bulk_download_to_file(5)", undefined, { error: "DataLinkError" }],
  ],
  bulkdownload: [
    ["saved(lambda p: ndl.bulkdownload('WEATHER', filename=p), 'weather.zip')", bulk("WEATHER", "full")],
    [
      "saved(lambda p: ndl.bulkdownload('MARKET', filename=p, download_type='partial'), 'partial.zip')",
      bulk("MARKET", "partial"),
    ],
    [
      "saved(lambda p: ndl.bulkdownload('MARKET', filename=p, download_type='complete'), 'complete.zip')",
      bulk("MARKET", "full"),
    ],
    ["saved_in(lambda p: ndl.bulkdownload('WEATHER', filename=p))", bulk("WEATHER", "full")],
    ["ndl.bulkdownload('MARKET', authtoken='sample')", undefined, { error: "InvalidRequestError" }],
    ["ndl.bulkdownload('LABOR', filename=path('free.zip'))", undefined, { error: "ForbiddenError" }],
    [
      "with_config(lambda: ndl.bulkdownload('MARKET', filename=path('x.zip')), api_key='free')",
      undefined,
      { error: "ForbiddenError" },
    ],
  ],
  get_table: [
    ["ndl.get_table('MARKET/PRICES')", table((q) => q), PAGE],
    ["ndl.get_table('MARKET/PRICES', paginate=True)", table((q) => q)],
    ["ndl.get_table('MARKET/PRICES', paginate=True, qopts={'per_page': 700})", table((q) => q)],
    [
      "ndl.get_table('MARKET/PRICES', qopts={'per_page': 5})",
      table((q) => q.where({ ticker: "AAA" }).select("ticker", "date", "open", "high", "low", "close", "volume")),
      { part: first(5) },
    ],
    ["ndl.get_table('MARKET/PRICES', ticker='AAA')", table((q) => q.where({ ticker: "AAA" }))],
    ["ndl.get_table('MARKET/PRICES', ticker=['AAA', 'BBB'])", table((q) => q.where({ ticker: TICKERS })), PAGE],
    ["ndl.get_table('MARKET/PRICES', ticker='AAA,BBB')", table((q) => q.where({ ticker: TICKERS })), PAGE],
    [
      "ndl.get_table('MARKET/PRICES', ticker=pandas.Series(['AAA', 'BBB']))",
      table((q) => q.where({ ticker: TICKERS })),
      PAGE,
    ],
    [
      "ndl.get_table('MARKET/PRICES', date={'gte': '2024-12-01', 'lte': '2024-12-31'})",
      table((q) => q.where({ date: DAYS })),
    ],
    [
      "ndl.get_table('MARKET/PRICES', date={'gt': '2024-12-01', 'lt': '2024-12-31'}, ticker='CCC')",
      table((q) => q.where({ ticker: "CCC", date: { gt: "2024-12-01", lt: "2024-12-31" } })),
    ],
    [
      "ndl.get_table('MARKET/PRICES', date={'gte': datetime.datetime(2024, 12, 1)})",
      table((q) => q.where({ date: { gte: "2024-12-01" } })),
    ],
    ["ndl.get_table('MARKET/PRICES', date='2024-12-02')", table((q) => q.where({ date: "2024-12-02" }))],
    [
      "ndl.get_table('MARKET/PRICES', qopts={'columns': ['ticker', 'date', 'close']}, ticker='AAA')",
      table((q) => q.where({ ticker: "AAA" }).select("ticker", "date", "close")),
    ],
    [
      "ndl.get_table('MARKET/PRICES', qopts={'columns': 'close'}, ticker='AAA')",
      table((q) => q.where({ ticker: "AAA" }).select("close")),
    ],
    ["ndl.get_table('MARKET/PRICES', ticker='NONE')", table((q) => q.where({ ticker: "NONE" }))],
    [`ndl.get_table('MARKET/PRICES', ticker=${LONG})`, table((q) => q.where({ ticker: TICKERS })), PAGE],
    [
      `ndl.get_table('MARKET/PRICES', ticker=${LONG}, date={'gte': '2024-12-01'}, qopts={'columns': ['ticker', 'date'], 'per_page': 9}, paginate=True)`,
      table((q) => q.where({ ticker: TICKERS, date: { gte: "2024-12-01" } }).select("ticker", "date")),
    ],
    [
      "ndl.get_table('TRANSPORT/FLIGHTS', origin=['SEA', 'BOI'], paginate=True)",
      table((q) => q.where({ origin: ["SEA", "BOI"] }), "TRANSPORT/FLIGHTS"),
    ],
    ["ndl.get_table('TRANSPORT/FLIGHTS', id=[1, 2, 3])", table((q) => q.where({ id: [1, 2, 3] }), "TRANSPORT/FLIGHTS")],
    [
      "ndl.get_table('TRANSPORT/STRIKES', **{'Flight Date': {'gte': '1999-01-01', 'lte': '1999-03-01'}})",
      table((q) => q.where({ "Flight Date": { gte: "1999-01-01", lte: "1999-03-01" } }), "TRANSPORT/STRIKES"),
    ],
    [
      "ndl.get_table('TRANSPORT/STRIKES', **{'Cost Total $': {'gt': 1000000}})",
      table((q) => q.where({ "Cost Total $": { gt: 1_000_000 } }), "TRANSPORT/STRIKES"),
    ],
    [
      "ndl.get_table('TRANSPORT/AIRPORTS', latitude={'gte': 47.5, 'lte': 47.75})",
      table((q) => q.where({ latitude: { gte: 47.5, lte: 47.75 } }), "TRANSPORT/AIRPORTS"),
    ],
    [
      "with_config(lambda: ndl.get_table('MARKET/PRICES', paginate=True, qopts={'per_page': 10}), page_limit=2)",
      undefined,
      { error: "LimitExceededError" },
    ],
    ["ndl.get_table('MARKET/NONE')", undefined, { error: "NotFoundError" }],
    ["ndl.get_table('MARKET/PRICES', tiker='AAA')", undefined, { error: "InvalidRequestError" }],
    ["ndl.get_table('MARKET/PRICES', close=5)", undefined, { error: "InvalidRequestError" }],
    ["ndl.get_table('MARKET/PRICES', ticker={'like': 'A'})", undefined, { error: "InvalidRequestError" }],
    ["ndl.get_table('MARKET/PRICES', **{'qopts.cursor_id': 'wrong'})", undefined, { error: "InvalidRequestError" }],
    ["with_config(lambda: ndl.get_table('MARKET/PRICES'), api_key='free')", undefined, { error: "ForbiddenError" }],
  ],
  Datatable: [
    ["ndl.Datatable('MARKET/PRICES').name", async (s) => (await s.table("MARKET/PRICES").metadata()).name],
    ["ndl.Datatable('MARKET/PRICES').columns", async (s) => (await s.table("MARKET/PRICES").metadata()).columns],
    ["ndl.Datatable('MARKET/PRICES').filters", async (s) => (await s.table("MARKET/PRICES").metadata()).filters],
    [
      "ndl.Datatable('MARKET/PRICES').primary_key",
      async (s) => (await s.table("MARKET/PRICES").metadata()).primary_key,
    ],
    [
      "ndl.Datatable('MARKET/PRICES').status['status']",
      async (s) => (await s.table("MARKET/PRICES").metadata()).status.status,
    ],
    ["ndl.Datatable('MARKET/PRICES').data().to_pandas()", table((q) => q), PAGE],
    [
      "ndl.Datatable('MARKET/PRICES').data(params={'ticker': ['AAA', 'BBB']}).to_pandas()",
      table((q) => q.where({ ticker: TICKERS })),
      PAGE,
    ],
    [
      "ndl.Datatable('MARKET/PRICES').data(params={'qopts': {'per_page': 5}}).meta['next_cursor_id'] is not None",
      undefined,
      { value: true },
    ],
    [
      "[t.code['datatable_code'] for t in ndl.Datatable.all()]",
      async (s) => (await s.catalogOf("table")).map((code) => code.split("/")[1]),
    ],
    ["saved_in(lambda p: ndl.Datatable('TRANSPORT/AIRPORTS').download_file(p))", table((q) => q, "TRANSPORT/AIRPORTS")],
    ["ndl.Datatable('MARKET/NONE').name", undefined, { error: "NotFoundError" }],
  ],
  export_table: [
    ["saved(lambda p: ndl.export_table('MARKET/PRICES', filename=p), 'prices.zip')", table((q) => q)],
    ["saved_in(lambda p: ndl.export_table('TRANSPORT/AIRPORTS', filename=p))", table((q) => q, "TRANSPORT/AIRPORTS")],
    [
      "saved(lambda p: ndl.export_table('MARKET/PRICES', filename=p, ticker=['AAA', 'BBB'], qopts={'columns': ['ticker', 'close']}), 'two.zip')",
      table((q) => q.where({ ticker: TICKERS }).select("ticker", "close")),
    ],
    [
      "saved(lambda p: ndl.export_table('MARKET/PRICES', filename=p, date={'gte': '2024-12-01'}), 'december.zip')",
      table((q) => q.where({ date: { gte: "2024-12-01" } })),
    ],
    [
      `saved(lambda p: ndl.export_table('MARKET/PRICES', filename=p, ticker=${LONG}), 'long.zip')`,
      table((q) => q.where({ ticker: TICKERS })),
    ],
    ["ndl.export_table('MARKET/PRICES', authtoken='sample')", undefined, { error: "InvalidRequestError" }],
    [
      "with_config(lambda: ndl.export_table('MARKET/PRICES', filename=path('y.zip')), api_key='free')",
      undefined,
      { error: "ForbiddenError" },
    ],
  ],
  "ApiConfig, save_key, read_key": [
    ["(ndl.save_key('sample', path('key')), ndl.ApiConfig.api_key)[1]", undefined, { value: "sample" }],
    ["(ndl.read_key(path('key')), len(ndl.get('MARKET/AAA', rows=3)))[1]", undefined, { value: 3 }],
    ["with_config(lambda: len(ndl.get('MARKET/AAA', rows=3)), api_version='2015-04-09')", undefined, { value: 3 }],
  ],
  get_point_in_time: [
    ["ndl.get_point_in_time('MARKET/PRICES')", undefined, { error: "InvalidRequestError" }],
    ["ndl.get_point_in_time('MARKET/PRICES', interval='never')", undefined, { error: "InvalidRequestError" }],
    [
      "ndl.get_point_in_time('MARKET/PRICES', interval='from', start_date='2024-01-01')",
      undefined,
      { error: "InvalidRequestError" },
    ],
    ["ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate', paginate=True)", past({ asOf: "2025-01-02" })],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate', date='2035-01-05', paginate=True)",
      past({ asOf: "2035-01-05" }),
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate', date=datetime.date(2035, 1, 5))",
      past({ asOf: "2035-01-05" }),
      PAGE,
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate', date=datetime.datetime(2035, 1, 4, 11, 59))",
      past({ asOf: "2035-01-04T11:59:00Z" }),
      PAGE,
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='from', start_date='2035-01-03', end_date='2035-01-07', paginate=True)",
      past({ from: "2035-01-03", asOf: "2035-01-06" }),
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='between', start_date='2035-01-03', end_date='2035-01-07', paginate=True)",
      past({ from: "2035-01-03", asOf: "2035-01-07" }),
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='between', start_date='2035-01-03', end_date='2035-01-07', ticker=['Q7', 'NEW'], qopts={'columns': ['close']})",
      past({ from: "2035-01-03", asOf: "2035-01-07", where: { ticker: ["Q7", "NEW"] }, columns: ["close"] }),
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate', date='2024-01-01')",
      undefined,
      { error: "InvalidRequestError" },
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate', date='soon')",
      undefined,
      { error: "InvalidRequestError" },
    ],
    [
      "ndl.get_point_in_time('KEPT/QUOTES', interval='from', start_date='2035-01-07', end_date='2035-01-03')",
      undefined,
      { error: "InvalidRequestError" },
    ],
    ["ndl.get_point_in_time('KEPT/NONE', interval='asofdate')", undefined, { error: "NotFoundError" }],
    ["ndl.get_point_in_time('MARKET/PRICES', interval='asofdate')", undefined, { error: "NotFoundError" }],
    [
      "with_config(lambda: ndl.get_point_in_time('KEPT/QUOTES', interval='asofdate'), api_key='free')",
      undefined,
      { error: "ForbiddenError" },
    ],
  ],
};

/** The rows of a frame as lists, dates `YYYY-MM-DD`, decimals as numbers. */
export function rowsOf(frame) {
  const names = frame.columns.map(({ name }) => name);
  return [...frame.rows()].map((row) => names.map((name) => row[name]));
}
