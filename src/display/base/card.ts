import { scrub } from "../../errors/secrets.js";
import { escapeHtml, plainLine } from "./escape.js";
import { bold, firstLine, red } from "./paint.js";
import { type Bundle, showAs } from "./show.js";
import { cutTo, pad, widthOf } from "./width.js";

/** A short summary of an object: a query, metadata, a bulk file, an error. */
export interface Card {
  readonly title: string;
  readonly text?: string;
  readonly entries: readonly (readonly [name: string, value: string | number | boolean | null | undefined])[];
  /** Shown in red where a terminal has colours. */
  readonly isError?: boolean;
  /** The next step; shown last. */
  readonly next?: string;
}

/**
 * Renders a prototype, or one plain object, as a card. The added members are not enumerable. Entries without a value
 * are omitted; keys are scrubbed.
 */
export function showAsCard<T extends object>(target: T, cardOf: (value: T) => Card): T {
  showAs<T>(target, {
    bundle: (value) => cardBundle(cardOf(value)),
    text: (value, width, colors) => {
      const card = cardOf(value);
      const text = cardText(card, width);
      return colors ? firstLine(text, card.isError ? red : bold) : text;
    },
  });
  return target;
}

export function cardBundle(card: Card): Bundle {
  return { "text/html": cardHtml(card), "text/plain": cardText(card) };
}

const entriesOf = (card: Card): [string, string][] =>
  card.entries.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, scrub(String(value))] as [string, string]],
  );

function cardHtml(card: Card): string {
  const rows = entriesOf(card).map(([name, value]) => {
    const cut = cutTo(value, 300);
    const whole = cut === value ? "" : ` title="${escapeHtml(value.slice(0, 2_000))}"`;
    return `<tr><th style="text-align:left">${escapeHtml(name)}</th><td style="text-align:left"${whole}>${escapeHtml(cut)}</td></tr>`;
  });
  const text = card.text === undefined ? "" : `<br><small>${escapeHtml(cutTo(scrub(card.text), 600))}</small>`;
  const table =
    rows.length === 0 ? "" : `<table border="1" class="dataframe"><tbody>${rows.join("\n")}</tbody></table>`;
  const next = card.next === undefined ? "" : `<p><small>${escapeHtml(scrub(card.next))}</small></p>`;
  return `<div><p><strong>${escapeHtml(scrub(card.title))}</strong>${text}</p>\n${table}${next}</div>`;
}

function cardText(card: Card, width = 120): string {
  const entries = entriesOf(card).map(([name, value]) => [plainLine(name), plainLine(value)] as const);
  const names = Math.max(0, ...entries.map(([name]) => widthOf(name)));
  const lines = [plainLine(scrub(card.title))];
  if (card.text !== undefined) lines.push(cutTo(plainLine(scrub(card.text)), 4 * width));
  for (const [name, value] of entries)
    lines.push(`  ${pad(name, names, false)}  ${cutTo(value, Math.max(20, 4 * width))}`);
  if (card.next !== undefined) lines.push(plainLine(scrub(card.next)));
  return lines.join("\n");
}
