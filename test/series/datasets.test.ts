import { afterAll, beforeAll, expect, it } from "vitest";
import { connect, type Service } from "../../src/client/service.js";
import { type RunningService, serve } from "../../src/server.js";
import { folderOf } from "../server/support.js";
import { cellsOf, namesOf } from "./tables.js";

const catalog = {
  databases: [
    {
      database_code: "T",
      name: "T",
      premium: false,
      datasets: [
        { dataset_code: "A", name: "A", frequency: "daily", columns: ["Date", "Open", "Close"], file: "a.csv" },
        { dataset_code: "B", name: "B", frequency: "daily", columns: ["DATE", "Value"], file: "b.csv" },
        { dataset_code: "C", name: "C", frequency: "daily", columns: ["Date", "x"], file: "c.csv" },
      ],
    },
  ],
  tables: [],
};

let running: RunningService;
let service: Service;
const asked: string[] = [];

beforeAll(async () => {
  const data = folderOf({
    "catalog.json": catalog,
    "a.csv": "Date,Open,Close\n2024-01-02,1,2\n2024-01-03,3,4\n2024-02-01,5,6\n",
    "b.csv": "DATE,Value\n2024-01-03,30\n2024-01-04,40\n",
    "c.csv": "Date,x\n2024-01-04,7\n",
  });
  running = await serve({ data, log: ({ url }) => asked.push(url) });
  service = connect({ url: running.url, apiKey: "sample", retry: { attempts: 1 } });
});
afterAll(() => running.close());

it("aligns series on their dates, each title after its code, newest first as the service answers", async () => {
  const frame = await service.datasets(["T/A.2", "T/B", service.dataset("T/C")]).frame();
  expect(namesOf(frame.table)).toEqual(["Date", "T/A - Close", "T/B - Value", "T/C - x"]);
  expect(cellsOf(frame.table)).toEqual([
    ["2024-02-01", 6, null, null],
    ["2024-01-04", null, 40, 7],
    ["2024-01-03", 4, 30, null],
    ["2024-01-02", 2, null, null],
  ]);
  expect(frame.source?.code).toBe("T/A, T/B, T/C");
});

it("every option applies to every series", async () => {
  const query = service.datasets(["T/A", "T/B"]).from("2024-01-03").collapse("monthly").order("asc").format("csv");
  const frame = await query.frame();
  expect(cellsOf(frame.table)).toEqual([
    ["2024-01-31", 3, 4, 40],
    ["2024-02-29", 5, 6, null],
  ]);
  expect(cellsOf((await query.column(1).limit(1).frame({ how: "inner" })).table)).toEqual([["2024-01-31", 3, 40]]);
  expect(cellsOf((await query.transform("diff").to("2024-12-31").frame()).table)).toEqual([["2024-02-29", 2, 2, null]]);
});

it("names the code that is missing, and keeps what the service said", async () => {
  const failure = service.datasets(["T/A", "T/NONE", "T/B"]).frame();
  await expect(failure).rejects.toMatchObject({
    name: "ServiceError",
    status: 404,
    message: expect.stringContaining("T/NONE"),
    hint: expect.any(String),
  });
  await expect(service.datasets(["T/A", "T/B.9"]).frame()).rejects.toMatchObject({
    name: "ServiceError",
    message: expect.stringContaining("T/B"),
  });
});

it("refuses an empty list and half a code", () => {
  expect(() => service.datasets([])).toThrow(expect.objectContaining({ code: "BadCode" }));
  expect(() => service.datasets(["A"])).toThrow(expect.objectContaining({ code: "BadCode" }));
});

it("keeps to the limits of the connection", async () => {
  let busy = 0;
  let most = 0;
  const narrow = connect({
    url: running.url,
    apiKey: "sample",
    limits: { concurrency: 2 },
    fetch: async (input, init) => {
      most = Math.max(most, ++busy);
      try {
        return await fetch(input, init);
      } finally {
        busy--;
      }
    },
  });
  const frame = await narrow.datasets(new Array<string>(8).fill("T/A.1")).frame();
  expect(most).toBe(2);
  expect(frame.numColumns).toBe(9);
});

it("refuses unknown options and option values before the first request", async () => {
  const before = asked.length;
  const refused = (answer: Promise<unknown>, code: string, hint: string) =>
    expect(answer).rejects.toThrow(expect.objectContaining({ name: "InputError", code, hint }));
  const close = `Did you mean "float64"?`;
  await refused(service.dataset("T/A").frame({ decimals: "float" } as never), "UnknownValue", close);
  await refused(service.dataset("T/A").withMetadata({ decimals: "float" } as never), "UnknownValue", close);
  await refused(service.datasets(["T/A"]).frame({ decimals: "float" } as never), "UnknownValue", close);
  await refused(service.table("T/T").frame({ decimals: "float" } as never), "UnknownValue", close);
  await refused(service.table("T/T").page(null, { decimals: "float" } as never), "UnknownValue", close);
  await refused(
    service
      .table("T/T")
      .batches({ decimals: "float" } as never)
      .next(),
    "UnknownValue",
    close,
  );
  await refused(
    service
      .table("T/T")
      .export()
      .frame({ decimals: "float" } as never),
    "UnknownValue",
    close,
  );
  const file = service.table("T/T").export();
  await refused(file.toParquet("x", { onprogress: () => {} } as never), "UnknownOption", 'Did you mean "onProgress"?');
  await refused(file.toArrow("x", { format: "files" } as never), "UnknownValue", 'Did you mean "file"?');
  expect(asked.length).toBe(before);
});

it("selects columns of a table one by one or as a list", () => {
  const table = service.table("T/T");
  expect(JSON.stringify(table.select(["a", "b"]))).toBe(JSON.stringify(table.select("a", "b")));
  for (const names of [["a", "a"], []]) {
    expect(() => table.select(names as never)).toThrow(expect.objectContaining({ code: "BadSelection" }));
  }
});
