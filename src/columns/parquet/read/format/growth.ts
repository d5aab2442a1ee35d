import type { Footer, Leaf } from "./types.js";

/** How much a file may grow when it is read. */
export interface GrowthOptions {
  /**
   * The highest ratio of bytes in memory to bytes of the file. Default 10,000: columns of one value are stored in a few
   * bytes for a million rows. What takes less than 128 MiB may have any ratio.
   */
  readonly maxRatio?: number;
  /** The most bytes in memory. Default 2^40. */
  readonly maxSize?: number;
}

const MAX_RATIO = 10_000;
const MAX_SIZE = 2 ** 40;
/** Smaller tables may have any ratio. */
const SMALL = 2 ** 27;

/** A file takes more memory than its limits allow. Never reaches a caller itself. */
export class TooMuchGrowth extends Error {
  constructor(
    message: string,
    readonly hint: string,
  ) {
    super(message);
  }
}

/** Counts the bytes in memory that a file of few bytes becomes. Only values, so that it can be sent to a thread. */
export interface GrowthLimit {
  readonly most: number;
  readonly ratio: number;
  readonly isSize: boolean;
}

/** The limit for a file of `size` bytes. */
export function growthLimit(size: number, { maxRatio = MAX_RATIO, maxSize = MAX_SIZE }: GrowthOptions): GrowthLimit {
  const most = Math.max(SMALL, size * maxRatio);
  return { most: Math.min(most, maxSize), ratio: maxRatio, isSize: maxSize < most };
}

/** Takes bytes in memory before they are allocated. */
export type Grow = (bytes: number) => void;

/** @throws {TooMuchGrowth} by the function it returns, once the sum of the bytes exceeds the limit */
export function grower({ most, ratio, isSize }: GrowthLimit): Grow {
  let sum = 0;
  return (bytes) => {
    sum += bytes;
    if (sum <= most) return;
    const [limit, option] = isSize ? [`${most} bytes`, "maxSize"] : [`${ratio}-fold`, "maxRatio"];
    throw new TooMuchGrowth(
      `it takes ${sum} bytes of memory or more; the limit is ${limit}`,
      `Raise the limit with ${option} if the file is trusted, or read fewer columns.`,
    );
  };
}

/** Refuses a footer whose values in these leaves and row groups take more memory than the limit. */
export function checkGrowth(
  { groups }: Footer,
  leaves: readonly Leaf[],
  numbers: readonly number[],
  limit: GrowthLimit,
): void {
  const grow = grower(limit);
  for (const leaf of leaves) {
    const bytes = bytesOf(leaf);
    for (const g of numbers) grow((groups[g].chunks[leaf.index]?.values ?? 0) * bytes);
  }
}

/** Bytes of a value in memory, about: of a column, and of the levels that nested columns are made of. */
function bytesOf({ type, meaning, maxRepetition, path }: Leaf): number {
  const levels = maxRepetition > 0 || path.length > 1 ? 16 : 0;
  if (meaning.kind === "decimal") return levels + (meaning.precision > 38 ? 32 : 16);
  return levels + (type === "BOOLEAN" || type === "INT32" || type.endsWith("BYTE_ARRAY") ? 4 : 8);
}
