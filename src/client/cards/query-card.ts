import type { Card } from "../../display/base/card.js";
import { sourceParts } from "../../display/base/source-parts.js";
import type { FrameSource } from "../../spec/frame-source.js";

/** The card of a query that has not been sent: its parameters, and how to send it. */
export function queryCard(kind: string, source: FrameSource, entries: Card["entries"], next: string): Card {
  const [code, ...asked] = sourceParts(source);
  return {
    title: `${kind} ${code}`,
    entries: [["query", asked.length > 0 ? asked.join(" · ") : undefined], ...entries],
    next,
  };
}
