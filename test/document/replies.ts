import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ResourceName } from "../../src/spec/resources.js";
import { FORMATS, type Format } from "../../src/spec/vocabulary.js";

const folder = resolve(import.meta.dirname, "../cases/replies");

/** A golden reply: what it says, and its bytes in each format it exists in. */
export interface GoldenReply {
  readonly name: string;
  readonly resource: ResourceName;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Exact texts of the cells, as the declared types have them. */
  readonly rows?: readonly (readonly (string | null)[])[];
  readonly bytes: Readonly<Partial<Record<Format, Uint8Array>>>;
}

const expected = JSON.parse(readFileSync(resolve(folder, "expected.json"), "utf8")) as Readonly<
  Record<string, Omit<GoldenReply, "name" | "bytes">>
>;

/** The replies in test/cases/replies, written by hand from the tables of spec section 2 and the shapes observed. */
export const goldenReplies: readonly GoldenReply[] = Object.entries(expected).map(([name, reply]) => ({
  name,
  ...reply,
  bytes: Object.fromEntries(
    FORMATS.map((format) => [format, resolve(folder, `${name}.${format}`)])
      .filter(([, path]) => existsSync(path))
      .map(([format, path]) => [format, new Uint8Array(readFileSync(path))]),
  ),
}));

/** What a CSV reply with rows can say of its fields. */
export function csvFields({ resource, fields }: GoldenReply): Readonly<Record<string, unknown>> {
  return resource === "tableRows" ? {} : { column_names: fields["column_names"] };
}
