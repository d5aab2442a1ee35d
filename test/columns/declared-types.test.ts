import { describe, expect, it } from "vitest";
import { bulkFile, Frame } from "../../src/index.js";
import { TYPE_TITLES } from "../../src/spec/columns.js";

const csv = Buffer.from("a\n1\n");
const typed = (type: string) => [{ name: "a", type }];

const meant: readonly (readonly [declared: string, hint: string])[] = [
  ["float64", 'Did you mean "double"?'],
  ["number", 'Did you mean "double"?'],
  ["int32", 'Did you mean "Integer"?'],
  ["str", 'Did you mean "String"?'],
  ["utf8", 'Did you mean "String"?'],
  ["date32", 'Did you mean "Date"?'],
  ["timestamp_", 'Did you mean "DateTime"?'],
  ["Timestamp[ms, UTC]", 'Did you mean "DateTime"?'],
  ["Decimal128(15,4)", 'Did you mean "BigDecimal(15,4)"?'],
  ["numeric(9)", 'Did you mean "BigDecimal(9,0)"?'],
  ["BigDecimal(77,2)", "A decimal has at most 76 digits"],
  ["BigDecimal(4,5)", "no more after the point"],
  ["doble", 'Did you mean "double"?'],
  ["geometry", "declare String to read the cells as text"],
  ["", "The types are String, Date"],
];

describe("a declared column type that does not exist", () => {
  it.each(meant)("%j is refused: %s", async (type, hint) => {
    const error = await Frame.fromCSV(csv, { columns: typed(type) }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ name: "InputError", code: "UnknownType", column: "a" });
    expect(String((error as Error).message)).toContain(JSON.stringify(type));
    expect((error as { hint: string }).hint).toContain(hint);
  });

  it("is refused wherever columns are declared", async () => {
    const refused = { code: "UnknownType" };
    expect(() => Frame.fromRows([{ a: 1 }], typed("float64"))).toThrow(expect.objectContaining(refused));
    await expect(Frame.fromZip("none.zip", { columns: typed("float64") })).rejects.toMatchObject(refused);
    expect(() => bulkFile("none.zip", { columns: typed("float64") })).toThrow(expect.objectContaining(refused));
  });

  it.each(TYPE_TITLES.map((type) => type.replace("p,s", "15,4")))("%s is accepted", (type) => {
    expect(Frame.fromRows([{ a: null }], typed(type)).columns).toEqual(typed(type));
  });
});
