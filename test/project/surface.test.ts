import { expect, it } from "vitest";
import * as arrowbook from "../../src/index.js";
import * as testing from "../../src/testing.js";

/* The public names are a promise: a name that goes or comes shows here. */
it("arrowbook exports these names", () => {
  expect(Object.keys(arrowbook).sort()).toMatchInlineSnapshot(`
    [
      "ArrowbookError",
      "BulkFile",
      "Chart",
      "Column",
      "DataError",
      "DatabaseQuery",
      "DatasetQuery",
      "DatasetsQuery",
      "FileError",
      "Frame",
      "InputError",
      "Mirror",
      "SampleService",
      "Service",
      "ServiceError",
      "TableQuery",
      "TransportError",
      "arrowBatches",
      "bulkFile",
      "coalesce",
      "connect",
      "csvBatches",
      "defineProfile",
      "display",
      "isArrowbookError",
      "jsonLinesBatches",
      "nasdaqDataLink",
      "parquetBatches",
      "progress",
      "sessions",
      "sparkline",
      "specification",
      "unlisted",
      "when",
    ]
  `);
});

it("arrowbook/testing exports these names", () => {
  expect(Object.keys(testing).sort()).toEqual(["record", "replay"]);
});
