import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DataError } from "../../src/errors/errors.js";
import { checkJson, unescapeString } from "../../src/format/json.js";
import { readEnvelope } from "../../src/format/json-envelope.js";
import { cases } from "../cases.js";
import { forAll } from "../support/for-all.js";
import { runs } from "../support/whole.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const accepts = (input: Uint8Array): boolean => {
  try {
    checkJson(input);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(DataError);
    return false;
  }
};

const suite = cases("json-nst/test_parsing");

describe.runIf(existsSync(suite))("the public JSON test suite", () => {
  const files = existsSync(suite) ? readdirSync(suite).filter((name) => name.endsWith(".json")) : [];
  it("accepts every y_ and refuses every n_", () => {
    const verdicts = files.map((name) => [name, accepts(readFileSync(resolve(suite, name)))] as const);
    expect(verdicts.filter(([name, ok]) => name.startsWith("y_") && !ok).map(([name]) => name)).toEqual([]);
    expect(verdicts.filter(([name, ok]) => name.startsWith("n_") && ok).map(([name]) => name)).toEqual([]);
    expect(verdicts.length).toBe(318);
  });
});

it("agrees with JSON.parse on what is JSON, valid or damaged", () => {
  const agrees = (text: string): void => {
    let parsed = true;
    try {
      JSON.parse(text);
    } catch {
      parsed = false;
    }
    expect([text, accepts(bytes(text))]).toEqual([text, parsed]);
  };
  forAll(
    { numRuns: runs(500), seed: 3 },
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom("", ",", "]", "}", '"', "0", "-", "\\", " "),
    (text, at, extra) => {
      agrees(text);
      const cut = at % (text.length + 1);
      agrees(text.slice(0, cut) + extra + text.slice(cut));
      agrees(text.slice(0, cut) + text.slice(cut + 1));
    },
  );
});

it("undoes escapes as JSON.parse does", () => {
  forAll({ seed: 4 }, fc.string({ unit: "grapheme" }), fc.boolean(), (text, ascii) => {
    const plain = JSON.stringify(text);
    const literal = ascii
      ? plain.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
      : plain;
    const source = bytes(literal);
    const out = new Uint8Array(source.length);
    const length = unescapeString(source, 1, source.length - 1, out);
    expect(Buffer.from(out.subarray(0, length)).toString()).toBe(text);
  });
  const half = bytes('"\\ud800x"');
  expect(unescapeString(half, 1, half.length - 1, new Uint8Array(20))).toBe(-1);
});

describe("an envelope", () => {
  const at = [["datatable", "data"]];

  it("leaves the rows as bytes before or after the columns", () => {
    for (const text of [
      '{"datatable":{"data":[["a]]b",1],[null,2.5]],"columns":[{"name":"x"}]},"meta":{"next_cursor_id":null}}',
      ' {"datatable": {"columns":[{"name":"x"}], "data": [ ["a]]b", 1 ] , [null,2.5] ] }, "meta":{"next_cursor_id":null}} ',
      '{"datatable":{"data":[],"columns":[{"name":"x"}]},"meta":{"next_cursor_id":null}}',
    ]) {
      const { value, rows } = readEnvelope(bytes(text), at);
      const parsed = JSON.parse(text) as { datatable: { data: unknown } };
      expect(JSON.parse(text.slice(rows?.start, rows?.end))).toEqual(parsed.datatable.data);
      parsed.datatable.data = null;
      expect(value).toEqual(parsed);
    }
  });

  it("keeps odd names and refuses a name twice", () => {
    const { value } = readEnvelope(bytes('{"__proto__":{"a":1},"constructor":2}'), at);
    expect(Object.keys(value as object)).toEqual(["__proto__", "constructor"]);
    expect(() => readEnvelope(bytes('{"a":1,"a":2}'), at)).toThrow(/only once/);
  });

  it("refuses every cut and trailing junk, with the byte offset", () => {
    const text = '{"datatable":{"data":[["é",1],[null,2.5]],"columns":[{"name":"x"}]}}';
    const whole = bytes(text);
    for (let cut = 0; cut < whole.length; cut++)
      expect(() => readEnvelope(whole.subarray(0, cut), at)).toThrow(DataError);
    expect(() => readEnvelope(bytes(`${text}x`), at)).toThrow(`at byte ${whole.length}`);
  });
});
