import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/index.js";
import { openApi } from "../../src/spec/open-api.js";
import { nasdaqDataLink, specification } from "../../src/spec/profile.js";

let service: Awaited<ReturnType<typeof connect.sample>>;
beforeAll(async () => {
  service = await connect.sample();
});
afterAll(() => service.close());

describe.each([specification, nasdaqDataLink])("the OpenAPI document of the profile $name", (profile) => {
  const document = JSON.parse(JSON.stringify(openApi(profile, "http://127.0.0.1")));

  it("is valid", async () => {
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  });

  it("names each operation and each parameter once", () => {
    const operations = Object.values<{ get: { operationId: string; parameters: { name: string; in: string }[] } }>(
      document.paths,
    ).map(({ get }) => get);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { parameters } of operations)
      expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length);
  });
});

it("the service serves its own, without a key", async () => {
  const reply = await fetch(`${service.url}/openapi.json`);
  expect(reply.headers.get("content-type")).toContain("application/json");
  expect(await reply.json()).toEqual(JSON.parse(JSON.stringify(openApi(specification, service.url))));
});

describe("replies have the shape of the document", () => {
  const document = JSON.parse(JSON.stringify(openApi(specification, "")));
  const ajv = new Ajv2020({
    strict: false,
    formats: { date: /^\d{4}-\d\d-\d\d$/, "date-time": /^\d{4}-\d\d-\d\dT.*Z$/ },
  });
  ajv.addSchema({ $id: "service", components: document.components });
  const matches = (name: string, reply: unknown): void => {
    const validate = ajv.compile({ $ref: `service#/components/schemas/${name}` });
    expect(validate(reply) ? [] : validate.errors).toEqual([]);
  };

  it.each([
    ["datasetData", "datasets/MARKET/AAA/data.json?limit=3"],
    ["dataset", "datasets/MARKET/AAA.json?collapse=monthly&limit=3"],
    ["datasetMetadata", "datasets/CLIMATE/CO2/metadata.json?"],
    ["databaseMetadata", "databases/MARKET.json?"],
    ["tableRows", "datatables/MARKET/PRICES.json?ticker=AAA"],
    ["tableMetadata", "datatables/MARKET/PRICES/metadata.json?"],
    ["tableExport", "datatables/MARKET/PRICES.json?qopts.export=true"],
    ["error", "datatables/MARKET/NOTHING.json?"],
  ])("%s: %s", async (name, path) => {
    matches(name, await (await fetch(`${service.url}/api/v3/${path}&api_key=sample`)).json());
  });

  it("a reply of another shape does not match", () => {
    expect(() => matches("databaseMetadata", { database: { id: "4" } })).toThrow();
  });
});
