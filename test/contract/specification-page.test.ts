import { readFileSync } from "node:fs";
import { XMLParser } from "fast-xml-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect } from "../../src/index.js";
import { endpoints } from "../../src/spec/endpoints.js";
import { type Fields, resources } from "../../src/spec/resources.js";
import { FILE_STATUSES } from "../../src/spec/vocabulary.js";

/* The examples of docs/specification.md are replies of the service, its fields and calls are those of src/spec. */
const page = readFileSync(new URL("../../docs/specification.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/```http\nGET (\S+)\n```\n\n```(json|xml|csv)\n([\s\S]*?)```/g)].map(
  ([, path, format, text]) => ({ path, format, text }),
);

const section = (number: string): string => {
  const from = page.search(new RegExp(`^#+ ${number.replace(".", "\\.")} `, "m"));
  if (from < 0) throw new Error(`docs/specification.md has no section ${number}`);
  const length = page.slice(from + 2).search(/^#{2,3} \d/m);
  return page.slice(from, length < 0 ? undefined : from + 2 + length);
};

const namesIn = (fields: Fields): string[] =>
  Object.entries(fields).flatMap(([name, field]) => (field.kind === "object" ? namesIn(field.fields) : [name]));

let service: Awaited<ReturnType<typeof connect.sample>>;
beforeAll(async () => {
  service = await connect.sample();
});
afterAll(() => service.close());

const xml = new XMLParser({ ignoreAttributes: false, parseTagValue: false, parseAttributeValue: false });
const read = (format: string, text: string): unknown =>
  format === "json" ? JSON.parse(text) : format === "xml" ? xml.parse(text) : text.replaceAll("\r\n", "\n");

describe("docs/specification.md", () => {
  it("has examples in all formats", () => {
    expect(new Set(examples.map(({ format }) => format))).toEqual(new Set(["json", "xml", "csv"]));
  });

  it.each(examples)("GET $path replies as it says", async ({ path, format, text }) => {
    const reply = await fetch(`${service.url}${path}&api_key=sample`);
    expect(reply.status).toBe(200);
    expect(read(format, await reply.text())).toEqual(read(format, text));
  });

  it.each(Object.entries(resources))("names every field of %s", (_, { fields }) => {
    for (const name of namesIn(fields)) expect(page).toMatch(new RegExp(`\\b${name}\``));
  });

  it.each(Object.entries(endpoints).filter(([, { section }]) => section !== "beyond"))("has the call %s", (_, call) => {
    const numbers = call.section.split(", ");
    const texts = numbers.map(section);
    expect(texts.some((text) => text.includes(`\`GET ${call.path}`))).toBe(true);
    for (const parameter of call.parameters) {
      if (!parameter.startsWith("@")) expect(page).toContain(parameter);
    }
  });

  it("has the states of an export", () => {
    for (const status of FILE_STATUSES) expect(section("3.")).toContain(`\`${status}\``);
  });
});
