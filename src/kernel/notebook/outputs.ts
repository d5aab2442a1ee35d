import { unreachable } from "../../errors/options.js";
import { scrub } from "../../errors/secrets.js";
import { type Json, type Message, withTexts } from "../protocol/message.js";
import { joined, lines, type MimeBundle, type Output } from "./notebook-file.js";

export interface CellCollector {
  /** Handles the next iopub message of the cell. */
  readonly add: (message: Message) => void;
  /** The outputs so far, in the stored format. */
  readonly list: () => readonly Output[];
}

type Slot = { output: Output; readonly displayId?: string };

/**
 * Returns a function that starts the next cell of a run. Outputs are collected as in notebook front ends: consecutive
 * writes to one stream become one output, `update_display_data` changes all outputs of the run with its display id,
 * `clear_output` clears the cell (at once, or with the next output).
 */
export function outputCollector(): () => CellCollector {
  const cells: Slot[][] = [];
  return () => {
    const slots: Slot[] = [];
    cells.push(slots);
    let clearNext = false;
    return {
      list: () => slots.map((slot) => slot.output),
      add(message) {
        const { msg_type } = message.header;
        if (msg_type === "update_display_data") {
          update(cells, message);
          return;
        }
        if (msg_type === "clear_output") {
          if (message.content["wait"] === true) clearNext = true;
          else slots.length = 0;
          return;
        }
        const output = outputOf(message);
        if (output === undefined) return;
        if (clearNext) slots.length = 0;
        clearNext = false;
        append(slots, output, displayIdOf(message));
      },
    };
  };
}

function append(slots: Slot[], output: Output, displayId: string | undefined): void {
  const last = slots.at(-1)?.output;
  if (output.output_type === "stream" && last?.output_type === "stream" && last.name === output.name) {
    slots[slots.length - 1] = {
      output: { ...last, text: lines(joined(last.text) + joined(output.text)) },
    };
    return;
  }
  slots.push({ output, displayId });
}

function update(cells: readonly Slot[][], message: Message): void {
  const id = displayIdOf(message);
  const bundle = bundleOf(message);
  for (const slot of cells.flat()) {
    const { output } = slot;
    if (slot.displayId !== id || id === undefined) continue;
    if (output.output_type === "display_data" || output.output_type === "execute_result") {
      slot.output = { ...output, ...bundle };
    }
  }
}

function displayIdOf(message: Message): string | undefined {
  const transient = message.content["transient"] as { readonly display_id?: string } | undefined;
  return transient?.display_id;
}

function outputOf(message: Message): Output | undefined {
  const { content } = message;
  switch (message.header.msg_type) {
    case "stream":
      return { output_type: "stream", name: String(content["name"]), text: lines(String(content["text"])) };
    case "display_data":
      return { output_type: "display_data", ...bundleOf(message) };
    case "execute_result":
      return {
        output_type: "execute_result",
        ...bundleOf(message),
        execution_count: content["execution_count"] as number | null,
      };
    case "error":
      return {
        output_type: "error",
        ename: String(content["ename"]),
        evalue: String(content["evalue"]),
        traceback: content["traceback"] as readonly string[],
      };
    default:
      return undefined;
  }
}

function bundleOf(message: Message): { data: MimeBundle; metadata: MimeBundle } {
  const data = (message.content["data"] ?? {}) as MimeBundle;
  return {
    data: Object.fromEntries(Object.entries(data).map(([mime, value]) => [mime, stored(mime, value)])),
    metadata: (message.content["metadata"] ?? {}) as MimeBundle,
  };
}

/** Text is stored as lines, so that diffs between runs are readable; images and JSON are stored unchanged. */
function stored(mime: string, value: Json): Json {
  const isLines = mime.startsWith("text/") || mime === "image/svg+xml" || mime === "application/javascript";
  return isLines && typeof value === "string" ? lines(value) : value;
}

/** Removes API keys from the text of an output; images are unchanged. */
export function scrubbedOutput(output: Output): Output {
  switch (output.output_type) {
    case "stream":
      return { ...output, text: withTexts(output.text, scrub) as typeof output.text };
    case "error":
      return { ...output, evalue: scrub(output.evalue), traceback: output.traceback.map(scrub) };
    case "display_data":
    case "execute_result":
      return { ...output, data: bundle(output.data) };
    default:
      return unreachable(output, "type of output");
  }
}

function bundle(data: MimeBundle): MimeBundle {
  return Object.fromEntries(
    Object.entries(data).map(([mime, value]) => [
      mime,
      /^image\/(?!svg)/.test(mime) ? value : withTexts(value, scrub)!,
    ]),
  );
}
