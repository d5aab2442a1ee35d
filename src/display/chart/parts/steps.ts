import type { Channel } from "./channel.js";
import { clean, type Labels, labels, roundStep } from "./data.js";

/** The most steps of an axis of cells; more are merged: numbers into round steps, days into months or years. */
const MAX_STEPS = 60;

interface Steps extends Labels {
  /** A phrase for the caption if values were merged. */
  readonly note?: string;
}

/** The steps of an axis of cells; numbers are themselves, for their order. */
export function stepsOf(channel: Channel): Steps {
  const plain = labels(channel);
  if (plain.words.length <= MAX_STEPS || channel.scale === "text") return plain;
  if (channel.scale === "time") {
    const months = regrouped(plain, (word) => word.slice(0, 7));
    if (months.words.length <= MAX_STEPS) return { ...months, note: `${channel.name} by month` };
    return { ...regrouped(plain, (word) => word.slice(0, 4)), note: `${channel.name} by year` };
  }
  const numbers = plain.words.map(Number);
  const finite = numbers.filter(Number.isFinite);
  const step = roundStep((Math.max(...finite) - Math.min(...finite)) / 30);
  return {
    ...regrouped(plain, (word) => String(clean(Math.floor(Number(word) / step) * step))),
    note: `${channel.name} in steps of ${step}`,
  };
}

function regrouped({ codes, words }: Labels, group: (word: string) => string): Labels {
  const places = new Map<string, number>();
  const map = words.map((word) => {
    const key = group(word);
    if (!places.has(key)) places.set(key, places.size);
    return places.get(key) as number;
  });
  return { codes: codes.map((code) => map[code]), words: [...places.keys()] };
}
