// Checks the prose of the project: comments, messages, test titles and documents use the field's own terms, and no
// comment line is longer than 120 columns. `node .config/wording.mjs [path …]` prints each finding with the term to use
// instead.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const MOST_COLUMNS = 120;

/** Files about the 32-bit words of numbers. */
const MACHINE_WORDS = /^src\/(?:value\/decimal|series\/core\/digits|wasm\/.*|columns\/build\/.*)\.ts$/;

/** What not to write, what to write instead, and the files a rule leaves out. */
const RULES = [
  [/\b(?:nobody|whoever|anybody)\b/i, "name the caller or use the passive"],
  [/\b(?:tells?|told|hears?|heard)\b/i, "report, emit, call back, distinguish"],
  [
    /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|need\b|effect\b)\w+/i,
    "is not a …, there is no …",
  ],
  [/\b(?:is|are|was|were|be|been|unless|as|what was) given\b/i, "passed, specified"],
  [/(?<!\d-bit |\bone |machine )\bwords?\b(?! of \d+ bits)/i, "option value, method, name, keyword", MACHINE_WORDS],
  [/\b(?:stands?|stood)\b(?! for\b|alone\b)/i, "is, appears, holds"],
  [/\b(?:lies|lay) (?:in|at|on|beside|below|above|under|within|outside|behind|before|between)\b/i, "is"],
  [/\b(?:moments?|instants?)\b/i, "timestamp, time"],
  [/\bin vain\b|\bfor good\b|\banew\b|\bof itself\b/i, "without effect, permanently, again, by itself"],
  [/\b(?:knows|wants|wishes)\b/i, "holds, expects, supports, requires"],
  [/\bgo(?:es)? on\b|\bwent on\b/i, "continue, resume"],
  [/\bhands? out\b|\bhanded out\b/i, "return, pass, expose"],
  [/\b(?:gives?|gave|given) up\b|\blet(?:s|ting)? go\b/i, "stop, time out, release"],
  [
    /\bwhat is left\b|\bat hand\b|\bbehind us\b|\bthe other way round\b/i,
    "the rest, current, already read, vice versa",
  ],
  [/\bcut (?:off|anywhere)\b/i, "truncated, of any size"],
  [/\bleads? nowhere\b|\bled nowhere\b/i, "points outside …, is broken"],
  [/\bin the place of\b|\btakes? the place\b/i, "instead of, replaces"],
  [/\bshows? (?:itself|themselves)\b/i, "renders, is rendered"],
  [/\bcomes? (?:back|twice|in vain)\b/i, "is returned, is repeated"],
  [/["`(.] ?Give (?:a|an|the)\b/, "Pass a …"],
  [/\bif it stays so\b/i, "if this persists"],
];

const files = execFileSync("git", ["ls-files", ...(process.argv.length > 2 ? process.argv.slice(2) : ["."])], {
  encoding: "utf8",
})
  .split("\n")
  .filter((path) =>
    /^(?:src|test|\.config)\/.*\.(?:ts|mjs)$|^(?:docs\/.*|README|AGENTS|CONTRIBUTING|CHANGELOG)\.?\w*$/.test(path),
  )
  .filter((path) => !/\.png$|^\.config\/wording\.mjs$|^test\/spec-coverage\.md$/.test(path));

/** Code of an example and rows of a table cannot be wrapped. */
const EXAMPLE = /^\s*\* (?: {2}|const |console\.|\|)/;

let findings = 0;

for (const path of files) {
  const lines = readFileSync(path, "utf8").split("\n");
  const prose = path.endsWith(".md") ? proseOfPage(lines) : proseOfCode(lines);
  for (const [number, text, comment] of prose) {
    for (const [pattern, instead, except] of RULES) {
      if (except?.test(path)) continue;
      const found = pattern.exec(text);
      if (found) report(path, number, `"${found[0]}": ${instead}`, text);
    }
    if (comment && /@throws (?!\{\w+\})/.test(lines[number - 1]))
      report(path, number, "write @throws {Class} CODE when …", text);
    if (comment && lines[number - 1].length > MOST_COLUMNS && !EXAMPLE.test(lines[number - 1])) {
      report(path, number, `a comment line of ${lines[number - 1].length} columns: at most ${MOST_COLUMNS}`, text);
    }
  }
}

process.stdout.write(findings === 0 ? "" : `${findings} findings in the wording\n`);
process.exitCode = findings === 0 ? 0 : 1;

function report(path, number, what, text) {
  findings++;
  process.stdout.write(`${path}:${number}: ${what}\n    ${text.trim().slice(0, 150)}\n`);
}

/** Comments, and string literals that read like sentences, as [line, text, is a comment]. */
function proseOfCode(lines) {
  const prose = [];
  let inside = false;
  for (const [index, line] of lines.entries()) {
    const opens = /^\s*\/\*/.test(line);
    if (inside || opens) prose.push([index + 1, line.replace(/`[^`]*`/g, "``"), true]);
    else {
      const comment = /(?:^|\s)\/\/ (.*)$/.exec(line);
      if (comment) prose.push([index + 1, comment[1].replace(/`[^`]*`/g, "``"), true]);
      const code = comment ? line.slice(0, comment.index) : line;
      for (const [literal] of code.matchAll(/"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`?|'(?:[^'\\]|\\.)*'/g)) {
        if (/[A-Za-z]{2,} [a-z]{2,}/.test(literal) && !/^.(?:SELECT|CREATE|DROP|WITH|INSERT)\b/i.test(literal)) {
          prose.push([index + 1, literal.replace(/\$\{[^}]*\}/g, "…"), false]);
        }
      }
    }
    if (opens) inside = true;
    if (line.includes("*/")) inside = false;
  }
  return prose;
}

/** The lines of a page outside code blocks, without inline code. */
function proseOfPage(lines) {
  let fenced = false;
  return lines.flatMap((line, index) => {
    if (/^\s*```/.test(line)) {
      fenced = !fenced;
      return [];
    }
    return fenced ? [] : [[index + 1, line.replace(/`[^`]*`/g, "``"), false]];
  });
}
