import {
  joined,
  type MimeBundle,
  type MultilineText,
  type Notebook,
  type Output,
} from "../../src/kernel/notebook/notebook-file.js";

/** What a reader sees of a cell: text, or a bundle. */
export type Shown = string | Readonly<Record<string, unknown>>;

/**
 * The outputs of every code cell without what differs from run to run (ports, the ids of live views, the bytes of
 * pictures) and from kernel to kernel (whether a result is an `execute_result`, a `display_data` or, when it is only
 * text, a line on stdout).
 */
export function shown(notebook: Notebook): Record<string, readonly Shown[]> {
  const cells = notebook.cells.filter((cell) => cell.cell_type === "code");
  return Object.fromEntries(cells.map((cell) => [cell.id, merged((cell.outputs ?? []).map(shownOutput))]));
}

function shownOutput(output: Output): Shown {
  switch (output.output_type) {
    case "stream":
      return settled(joined(output.text));
    case "error":
      return `${output.ename}: ${output.evalue}`;
    default:
      return shownBundle(output.data);
  }
}

function shownBundle(data: MimeBundle): Shown {
  const names = Object.keys(data);
  if (names.length === 1 && names[0] === "text/plain")
    return `${settled(joined(data["text/plain"] as MultilineText))}\n`;
  const entries = Object.entries(data).map(([mime, value]) => [
    mime,
    mime === "image/png" ? "(picture)" : mime.startsWith("text/") ? settled(joined(value as MultilineText)) : value,
  ]);
  return Object.fromEntries(entries) as Shown;
}

function settled(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:port").replace(/arrowbook-[0-9a-f]{12}/g, "arrowbook-id");
}

/** Texts in a row are one text. */
function merged(outputs: readonly Shown[]): Shown[] {
  const all: Shown[] = [];
  for (const output of outputs) {
    const last = all.at(-1);
    if (typeof output === "string" && typeof last === "string") all[all.length - 1] = last + output;
    else all.push(output);
  }
  return all;
}
