import { existsSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { locked } from "../../disk/lock.js";
import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";
import type { Copy, CopyState } from "./copy.js";
import { type CopyEngine, EngineCopy, STATES, type WithEngine } from "./engine-copy.js";
import { FolderCopy } from "./folder-copy.js";
import { isOpen, sharedFile } from "./shared-file.js";

/**
 * Where a mirror keeps its copy: the path of a folder or of a `.duckdb` file, the address of a ClickHouse server
 * (`clickhouse://host/database`), or an open SQL engine.
 */
export type MirrorTarget = string | CopyEngine;

const SERVER = /^clickhouse:\/\//i;

/** Whether a target holds the copies of many tables: a DuckDB file or a server, in contrast to a folder. */
export const holdsMany = (target: string): boolean => SERVER.test(target) || /\.(?:duckdb|ddb)$/i.test(target);

/**
 * The copy of a table at a target.
 *
 * @throws {InputError} BadAddress, BadArgument for anything else, and for `by` where the target is not a folder
 */
export function copyIn(target: MirrorTarget, code: string, by: string | undefined): Copy {
  if (typeof target === "string" && target !== "" && !holdsMany(target)) return new FolderCopy(resolve(target), by);
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
  if (typeof target !== "string") return new EngineCopy("a SQL engine", code, (use) => use(target), withoutLock);
  if (SERVER.test(target)) {
    if (!URL.canParse(target)) {
      throw new InputError("mirror() cannot read the address of the ClickHouse server.", {
        code: "BadAddress",
        hint: 'Write it as "clickhouse://user:password@host:8123/database", with special characters percent-encoded.',
      });
    }
    const { hostname, pathname } = new URL(target);
    return new EngineCopy(`clickhouse://${hostname}${pathname}`, code, server(target), withoutLock);
  }
  return new DatabaseCopy(resolve(target), code);
}

/** A copy in a DuckDB file, which is created by the first rows and not before. */
class DatabaseCopy extends EngineCopy {
  constructor(path: string, code: string) {
    const withEngine = sharedFile(path);
    super(path, code, withEngine, (what, signal, work) =>
      locked(`${path}.sync.lock`, what, signal, async () => {
        const isNew = !existsSync(path);
        try {
          return await work();
        } catch (error) {
          const hasNone = (names: readonly string[]): boolean => names.every((name) => name === STATES);
          const isEmpty = isNew && existsSync(path) && hasNone(await withEngine((engine) => engine.tables()));
          if (isEmpty && !isOpen(path)) rmSync(path);
          throw error;
        }
      }),
    );
  }

  override state(): Promise<CopyState | undefined> {
    return existsSync(this.place) ? super.state() : Promise.resolve(undefined);
  }
}

const withoutLock: Copy["exclusive"] = (_what, _signal, work) => work();

/** Opens the engine of a server for each use, so that nothing stays open. */
function server(address: string): WithEngine {
  return async (use) => {
    const { clickhouseEngine } = await import("../../engine/clickhouse/clickhouse.js");
    const engine = await clickhouseEngine(address);
    try {
      return await use(engine);
    } finally {
      await engine.close();
    }
  };
}
