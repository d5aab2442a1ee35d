import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDocument } from "../../src/document/document.js";
import { readFailure } from "../../src/document/failure.js";
import { isArrowbookError } from "../../src/errors/errors.js";
import { specification } from "../../src/spec/profile.js";
import { type Field, type Fields, type Resource, type ResourceName, resources } from "../../src/spec/resources.js";
import { FORMATS, type Format } from "../../src/spec/vocabulary.js";
import { forAllAsync } from "../support/for-all.js";
import { runs } from "../support/whole.js";
import { goldenReplies } from "./replies.js";
import { writtenText } from "./written.js";
import { xmlRowTexts } from "./xml-row-texts.js";

/** Texts that every format can carry: no half surrogate pairs; NUL, U+FFFE and U+FFFF are not in XML. */
const text = fc.string({ unit: "binary", maxLength: 20 }).map((s) =>
  Buffer.from(s)
    .toString()
    .replace(/[\0\ufffe\uffff]/g, ""),
);
const seconds = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 });
const day = seconds.map((s) => new Date(s * 1000).toISOString().slice(0, 10));
const moment = seconds.map((s) => `${new Date(s * 1000).toISOString().slice(0, 19)}Z`);

const SCALARS = {
  string: text,
  integer: fc.maxSafeInteger(),
  float: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.boolean(),
  date: day,
  dateTime: moment,
} as const;

const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 5 });

function anyValue(field: Field): fc.Arbitrary<unknown> {
  if (field.kind === "object") return recordOf(field.fields);
  if (field.kind === "columns") return list(fc.record({ name: text, type: text }));
  if (field.kind === "rows") return fc.constant(undefined);
  const value = field.kind === "texts" ? list(text) : SCALARS[field.kind];
  return field.nullable ? fc.option<unknown>(value) : value;
}

/** Any record of these fields, as `RecordOf` flattens it. */
function recordOf(fields: Fields): fc.Arbitrary<Record<string, unknown>> {
  const own: Record<string, fc.Arbitrary<unknown>> = {};
  const flat: fc.Arbitrary<Record<string, unknown>>[] = [];
  for (const [name, field] of Object.entries(fields)) {
    if (field.kind === "rows" || ("absentIn" in field && field.absentIn)) continue;
    if (field.kind === "object" && field.csv === "flat") flat.push(recordOf(field.fields));
    else own[name] = anyValue(field);
  }
  return fc
    .tuple(fc.record(own, { noNullPrototype: true }), ...flat)
    .map((records) => Object.assign({}, ...records) as Record<string, unknown>);
}

const METADATA: readonly ResourceName[] = ["datasetMetadata", "databaseMetadata", "tableMetadata", "tableExport"];

describe("any metadata is read back as it was written", () => {
  it.each(METADATA.flatMap((resource) => FORMATS.map((format) => [resource, format] as const)))(
    "%s in %s",
    async (resource, format) => {
      const { fields } = resources[resource] as Resource;
      await forAllAsync(runs(150), recordOf(fields), async (record) => {
        const given = { fields: { ...record, database_id: 1 } };
        const text = writtenText(resource, format, given);
        const document = await readDocument(resource, format, new TextEncoder().encode(text), specification);
        const { database_id: _, ...read } = document.fields as Readonly<Record<string, unknown>>;
        expect(read).toEqual(record);
      });
    },
  );
});

describe("a damaged reply is read or refused by an error of ours, never anything else", () => {
  const cases = goldenReplies.flatMap(({ name, resource, bytes }) =>
    (Object.entries(bytes) as [Format, Uint8Array][]).map(([format, whole]) => ({ name, resource, format, whole })),
  );

  it.each(cases)("$name.$format", async ({ resource, format, whole }) => {
    await forAllAsync(
      runs(60),
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255), fc.nat(2)), { minLength: 1, maxLength: 6 }),
      async (changes) => {
        const damaged = damage(whole, changes);
        try {
          const { rows } = await readDocument(resource, format, damaged, specification);
          if (rows?.kind === "xml") for (const row of xmlRowTexts(rows)) expect(Array.isArray(row)).toBe(true);
        } catch (error) {
          if (!isArrowbookError(error)) throw error;
        }
        const answer = { status: 500, contentType: null, headers: () => null, bytes: damaged };
        expect(readFailure(answer, specification).status).toBe(500);
      },
    );
  });
});

/** Bytes changed, dropped or doubled. */
function damage(whole: Uint8Array, changes: readonly (readonly [number, number, number])[]): Uint8Array {
  const bytes = [...whole];
  for (const [at, value, kind] of changes) {
    if (kind === 0) bytes[at % bytes.length] = value;
    else if (kind === 1) bytes.splice(at % bytes.length, 1 + (value % 40));
    else bytes.splice(at % bytes.length, 0, ...bytes.slice(at % bytes.length, (at % bytes.length) + (value % 40)));
    if (bytes.length === 0) bytes.push(value);
  }
  return Uint8Array.from(bytes);
}
