// The job that every runtime does: the embedded service, all pages of a table, an export, Parquet, SQL and a picture.
import { connect, Frame } from "arrowbook";

const service = await connect.sample();
const query = service.table("MARKET/PRICES").where({ ticker: ["AAA", "BBB"], date: { gte: "2024-01-01" } });
const prices = await query.frame();
const whole = await service.table("MARKET/PRICES").export().frame();
await prices.toParquet("prices.parquet");
const again = await Frame.fromParquet("prices.parquet", { columns: ["ticker", "close"] });
const top = await prices.sql("select ticker, max(close) as top from this group by ticker order by ticker");
const picture = prices.plot({ y: "close" }).toPNG();
const types = prices.columns.map(({ type }) => type).join(" ");
console.log(prices.numRows, whole.numRows, again.numRows, types, top.toCSV().trim().replaceAll("\n", ";"), picture[1]);
await service.close();
