import { Command } from "commander";
import { type CacheEntry, cacheContents, clearCache } from "../../client/cache/cache-contents.js";
import { cacheFolder } from "../../disk/folders.js";

interface CacheFlags {
  readonly path: string;
  readonly json?: boolean;
}

/** `arrowbook cache list|clear`: the replies and archives that are kept on disk. */
export function cacheCommand(): Command {
  const cache = new Command("cache").description("list or remove what --cache keeps on disk");
  const withPath = (command: Command): Command =>
    command.option("--path <folder>", "the folder of the cache", cacheFolder()).option("--json", "print JSON");
  const list = withPath(new Command("list"))
    .description("the files of the cache, those used last first")
    .action(async ({ path, json }: CacheFlags) => {
      const entries = await cacheContents(path);
      const lines = json ? [JSON.stringify(entries)] : entries.map(line);
      process.stdout.write(lines.map((text) => `${text}\n`).join(""));
    });
  const clear = withPath(new Command("clear"))
    .description("remove the files of the cache; others in the folder stay")
    .action(async ({ path, json }: CacheFlags) => {
      const removed = await clearCache(path);
      if (json) process.stdout.write(`${JSON.stringify(removed)}\n`);
      else
        process.stderr.write(
          `${path}: ${removed.files} files, ${removed.bytes.toLocaleString("en-US")} bytes removed\n`,
        );
    });
  return cache.addCommand(list).addCommand(clear);
}

function line({ used, bytes, kind, code, refreshed_at, name }: CacheEntry): string {
  const about = code === undefined ? name : `${code}${refreshed_at ? `, refreshed ${refreshed_at}` : ""}`;
  return `${used}  ${bytes.toLocaleString("en-US").padStart(13)}  ${kind.padEnd(8)}  ${about}`;
}
