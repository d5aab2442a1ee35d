import { existsSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { locked } from "../../disk/lock.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import { type CopyEngine, EnginePlace, MANIFESTS, type WithEngine } from "./engine.js";
import { Folder } from "./folder.js";
import type { Manifest } from "./log.js";
import { Mirror } from "./mirror.js";
import type { Place } from "./place.js";
import { isOpen, shared, sharedFile } from "./shared-file.js";

/**
 * Where a mirror keeps its copy: the path of a folder or of a `.duckdb` file, the address of a ClickHouse server
 * (`clickhouse://host/database`), or an open SQL engine.
 */
export type MirrorTarget = string | CopyEngine;

const SERVER = /^clickhouse:\/\//i;

/**
 * Opens a copy to read it, without the service that it is of.
 *
 * @throws {InputError} BadArgument, BadAddress for what is not a place
 * @throws {FileError} BadMirror if there is no copy of this table
 */
export async function copyAt(target: string, code: string): Promise<Mirror> {
  const place = placeAt(target, code, undefined);
  const question = (await place.manifest())?.question ?? code;
  const refused = (): never => {
    throw new InputError(`The copy of ${code} was opened without its service.`, {
      code: "BadArgument",
      hint: "Open it with service.table(code).mirror(place) to bring it up to date.",
    });
  };
  const requests = { metadata: async () => refused(), export: refused, since: refused };
  const query = { code, question, about: { code }, filters: [], emptyIsNull: false, ...requests };
  return new Mirror(query, place, {}).open();
}

/** The target of a table's copy in a place of many copies: a folder holds a folder for each. */
export const copyIn = (place: string, code: string): string =>
  holdsMany(place) || /^\w+:\/\//.test(place) ? place : join(place, ...code.split("/"));

/** Whether a target holds the copies of many tables: a DuckDB file or a server, in contrast to a folder. */
const holdsMany = (target: string): boolean => SERVER.test(target) || /\.(?:duckdb|ddb)$/i.test(target);

/**
 * The place of a table's copy at a target.
 *
 * @throws {InputError} BadAddress, BadArgument for anything else, and for `by` where the target is not a folder
 */
export function placeAt(target: MirrorTarget, code: string, by: string | undefined): Place {
  if (typeof target === "string" && /^(?:https?|s3):\/\//i.test(target)) {
    throw new InputError("A mirror cannot be at an address of the web or of an object storage.", {
      code: "BadArgument",
      hint: "Pass a folder, a .duckdb file or clickhouse://…; Frame.fromParquet() reads one file at an address.",
    });
  }
  if (typeof target === "string" && target !== "" && !holdsMany(target)) return new Folder(resolve(target), by);
  const isEngine = typeof target === "object" && target !== null && "load" in target && "query" in target;
  if (target === "" || (typeof target !== "string" && !isEngine)) {
    throw new InputError(`mirror() expects a folder, a database file or an engine; got ${shown(target)}.`, {
      code: "BadArgument",
      hint: 'Pass a folder for this table alone: mirror("mirrors/prices").',
    });
  }
  if (by !== undefined) {
    throw new InputError("Only a mirror in a folder is split into files.", {
      code: "BadArgument",
      hint: "Leave by out, or pass the path of a folder.",
    });
  }
  if (typeof target !== "string") return new EnginePlace("a SQL engine", code, (use) => use(target));
  if (SERVER.test(target)) {
    if (!URL.canParse(target)) {
      throw new InputError("mirror() cannot read the address of the ClickHouse server.", {
        code: "BadAddress",
        hint: 'Write it as "clickhouse://user:password@host:8123/database", with special characters percent-encoded.',
      });
    }
    const { hostname, pathname } = new URL(target);
    return new EnginePlace(`clickhouse://${hostname}${pathname}`, code, server(target));
  }
  return new Database(resolve(target), code);
}

/** A copy in a DuckDB file, which is created by the first rows and not before. */
class Database extends EnginePlace {
  constructor(path: string, code: string) {
    const withEngine = sharedFile(path);
    super(path, code, withEngine, (what, signal, work) =>
      locked(`${path}.sync.lock`, what, signal, async () => {
        const isNew = !existsSync(path);
        try {
          return await work();
        } catch (error) {
          const hasNone = (names: readonly string[]): boolean => names.every((name) => name === MANIFESTS);
          const isEmpty = isNew && existsSync(path) && hasNone(await withEngine((engine) => engine.tables()));
          if (isEmpty && !isOpen(path)) rmSync(path);
          throw error;
        }
      }),
    );
  }

  override manifest(): Promise<Manifest | undefined> {
    return existsSync(this.name) ? super.manifest() : Promise.resolve(undefined);
  }
}

/** The engine of a server, of which nothing stays open after the last of calls at once. */
const server = (address: string): WithEngine =>
  shared(
    () => address,
    async () => (await import("../../engine/clickhouse/clickhouse.js")).clickhouseEngine(address),
  );
