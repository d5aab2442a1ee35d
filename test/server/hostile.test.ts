import { request } from "node:http";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { RequestLog } from "../../src/server.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { sampleOf, started } from "./support.js";

const failures: RequestLog[] = [];
const service = await started({
  data: sampleOf("LABOR", "TRANSPORT/AIRPORTS"),
  log: (entry) => entry.error !== undefined && failures.push(entry),
});

/** Sends the target byte for byte; a URL would normalise it. */
const ask = (path: string): Promise<{ status: number; type: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const asked = request({ hostname, port, path, agent: false }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, type: answer.headers["content-type"] ?? "" }));
    });
    asked.on("error", reject);
    asked.end();
  });

/** What a request line can carry. */
const printable = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
});
const escaped = fc.string({ unit: "grapheme", maxLength: 12 }).map(encodeURIComponent);
const piece = fc.oneof(
  printable,
  escaped,
  fc.constantFrom("%", "%2", "%zz", "%00", "%ff", "..", ".", "", "__proto__", "constructor"),
);
const word = fc.oneof(
  fc.constantFrom(
    "datasets",
    "datatables",
    "databases",
    "LABOR",
    "EMPLOYMENT",
    "TRANSPORT",
    "AIRPORTS",
    "data",
    "metadata",
  ),
  piece,
);
const name = fc.oneof(
  fc.constantFrom(
    "iata",
    "latitude.gte",
    "latitude.lt",
    "qopts.columns",
    "qopts.cursor_id",
    "qopts.per_page",
    "qopts.export",
  ),
  fc.constantFrom("collapse", "transform", "limit", "column_index", "start_date", "order", "download_type", "api_key"),
  piece,
);
const value = fc.oneof(
  piece,
  fc.integer().map(String),
  fc.double().map(String),
  fc.constantFrom("2020-02-30", "1e999", "-0", "0x1"),
);
const target = fc
  .tuple(
    fc.array(word, { minLength: 1, maxLength: 5 }),
    fc.constantFrom(".json", ".csv", ".xml", "", "/", ".html"),
    fc.array(fc.tuple(name, value), { maxLength: 5 }),
    fc.constantFrom("/api/v3/", "/api/v3", "/files/", "/"),
  )
  .map(([words, ending, pairs, root]) => {
    const query = pairs.map(([key, each]) => `${key}=${each}`).join("&");
    return `${root}${words.join("/")}${ending}?${query}&api_key=sample`;
  });

it("no address whatever makes the service fail (spec 7)", async () => {
  await forAllAsync(runs(300), target, async (path) => {
    const { status, type } = await ask(path);
    expect(status, path).toBeGreaterThanOrEqual(200);
    expect(status, path).toBeLessThan(500);
    expect(type, path).toMatch(/^(application\/(json|xml|zip)|text\/csv)/);
  });
  expect(failures).toEqual([]);
});

it("option values in any order are answered or refused, never an internal error", async () => {
  const known = fc.tuple(
    fc.constantFrom(
      "/api/v3/datasets/LABOR/EMPLOYMENT.csv",
      "/api/v3/datasets/LABOR/EMPLOYMENT/data.json",
      "/api/v3/datatables/TRANSPORT/AIRPORTS.csv",
      "/api/v3/datatables/TRANSPORT/AIRPORTS.xml",
    ),
    fc.uniqueArray(
      fc.tuple(
        fc.constantFrom(
          "collapse",
          "transform",
          "order",
          "limit",
          "column_index",
          "start_date",
          "end_date",
          "latitude.gt",
          "longitude",
          "state",
        ),
        fc.constantFrom(
          "weekly",
          "annual",
          "rdiff",
          "cumul",
          "asc",
          "1",
          "23",
          "2010-01-01",
          "2012-06-30",
          "-97.5",
          "WA",
          "1e3",
          "+5",
          ".",
        ),
      ),
      { selector: ([key]) => key, maxLength: 4 },
    ),
  );
  await forAllAsync(runs(120), known, async ([path, pairs]) => {
    const query = pairs.map(([key, each]) => `${key}=${encodeURIComponent(each)}`).join("&");
    const { status } = await ask(`${path}?${query}&api_key=sample`);
    expect([200, 422], `${path}?${query}`).toContain(status);
  });
  expect(failures).toEqual([]);
});
