import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { isWhole } from "../support/whole.js";

const root = fileURLToPath(new URL("../../src/", import.meta.url));

/** Regular expressions over text of this package or of the caller's own command, not of files and other machines. */
const OWN_TEXT = /^(?:cli|kernel)\//;

interface Found {
  readonly at: string;
  readonly regex: RegExp;
}

/** The regular expressions of the sources that repeat something. */
function repeating(): Found[] {
  const found: Found[] = [];
  for (const file of readdirSync(root, { recursive: true }) as string[]) {
    if (!file.endsWith(".ts") || OWN_TEXT.test(file.replaceAll("\\", "/"))) continue;
    const source = ts.createSourceFile(file, readFileSync(root + file, "utf8"), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node) && /[*+]|\{\d+,/.test(node.text)) {
        const end = node.text.lastIndexOf("/");
        const regex = new RegExp(node.text.slice(1, end), node.text.slice(end + 1).replace("g", ""));
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ at: `src/${file}:${line + 1} ${node.text}`, regex });
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

const LENGTH = 10_000;

/** Characters that are tried, alone and in pairs. */
const MOST = isWhole ? 14 : 9;

/** Repetitions of what a regular expression mentions, with an end that it does not match. */
function* attacks({ source }: RegExp): Generator<string> {
  const parts = new Set([" ", "a", "1", "0", "\n"]);
  for (const [, character] of source.matchAll(/\\?([^\\\][(){}|?*+^$\w\s])/g)) parts.add(character);
  const some = [...parts].slice(0, MOST);
  const repeated = (part: string): string => part.repeat(LENGTH / part.length);
  for (const part of some) {
    yield `${repeated(part)}\u0001`;
    for (const other of some) {
      yield `${other}${repeated(part)}${other}\u0001`;
      yield `${repeated(other + part)}\u0001`;
    }
  }
}

function milliseconds(regex: RegExp, text: string): number {
  regex.lastIndex = 0;
  const began = performance.now();
  regex.test(text);
  return performance.now() - began;
}

it("no regular expression over outside text takes more time than its length", () => {
  const slow: string[] = [];
  for (const { at, regex } of repeating()) {
    for (const attack of attacks(regex)) {
      if (milliseconds(regex, attack) < 20) continue;
      // Again, without what else the machine did.
      const least = Math.min(...[1, 2, 3].map(() => milliseconds(regex, attack)));
      if (least < 20) continue;
      slow.push(`${at}: ${Math.round(least)} ms for ${JSON.stringify(attack.slice(0, 12))}…`);
      break;
    }
  }
  expect(slow).toEqual([]);
});
