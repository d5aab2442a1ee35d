import { vi } from "vitest";

/** A terminal behind standard error (and, where asked, standard output): what was written, and what it shows. */
export function fakeTerminal({ stdout = false, columns = 100 } = {}) {
  let written = "";
  const streams = stdout ? [process.stderr, process.stdout] : [process.stderr];
  const restore = streams.map((stream) => {
    const before = { isTTY: stream.isTTY, columns: stream.columns };
    Object.assign(stream, { isTTY: true, columns });
    const write = vi.spyOn(stream, "write").mockImplementation((text) => {
      written += String(text);
      return true;
    });
    return () => {
      write.mockRestore();
      Object.assign(stream, before);
    };
  });
  return {
    get written() {
      return written;
    },
    /** The lines on the screen, without empty ones at the end. */
    get screen() {
      return screenOf(written, columns);
    },
    restore: () => {
      for (const one of restore) one();
    },
  };
}

/**
 * What a terminal shows after these signs: text, line ends, cursor to a column, erasing, saving and restoring the
 * cursor; it wraps when a sign comes that has no room.
 */
function screenOf(written: string, columns: number): string[] {
  const lines: string[][] = [[]];
  let [row, column] = [0, 0];
  let saved = [0, 0];
  for (const [part] of written.matchAll(/\x1b\[(\??[\d;]*)([A-Za-z])|\x1b[78]|[\s\S]/gu)) {
    if (part === "\n") {
      [row, column] = [row + 1, 0];
      lines[row] ??= [];
    } else if (part === "\r") column = 0;
    else if (part === "\x1b7") saved = [row, column];
    else if (part === "\x1b8") [row, column] = saved;
    else if (part.startsWith("\x1b[")) {
      const [, number, name] = /\[(\??[\d;]*)(.)/.exec(part) ?? [];
      if (name === "G") column = Number(number || 1) - 1;
      else if (name === "K") lines[row] = number === "2" ? [] : lines[row].slice(0, column);
      else if (name !== "m") throw new Error(`The terminal of this test does not know ${JSON.stringify(part)}.`);
    } else {
      if (column === columns) {
        [row, column] = [row + 1, 0];
        lines[row] ??= [];
      }
      while (lines[row].length < column) lines[row].push(" ");
      lines[row][column++] = part;
    }
  }
  const text = lines.map((signs) => signs.join("").trimEnd());
  while (text.length > 0 && text[text.length - 1] === "") text.pop();
  return text;
}
