import { scrub } from "../../errors/secrets.js";
import { unreachable } from "../../errors/unreachable.js";
import type { Json } from "../protocol/message.js";
import type { MimeBundle, Output } from "./notebook-file.js";

/** Removes API keys from the text of an output; images are unchanged. */
export function scrubbedOutput(output: Output): Output {
  switch (output.output_type) {
    case "stream":
      return { ...output, text: clean(output.text) as typeof output.text };
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
    Object.entries(data).map(([mime, value]) => [mime, /^image\/(?!svg)/.test(mime) ? value : clean(value)]),
  );
}

function clean(value: Json): Json {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map(clean);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, clean(item as Json)]));
}
