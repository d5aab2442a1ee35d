import type { Random } from "./random.js";

/** 32-bit values at which counts, offsets and lengths go wrong. */
export const AWKWARD_INT32 = [
  0, 1, 2, 3, 7, 8, 9, 16, 64, 127, 128, 255, 256, 65_535, 65_536, 1_000_000, 0x7fff_fff8, 0x7fff_ffff, -0x8000_0000,
  -2, -1,
];

type Mutation = (bytes: Uint8Array, random: Random) => Uint8Array;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A changed copy of the bytes between `start` and `end`. */
function replaced(bytes: Uint8Array, start: number, end: number, by: Uint8Array): Uint8Array {
  const out = new Uint8Array(start + by.length + bytes.length - end);
  out.set(bytes.subarray(0, start));
  out.set(by, start);
  out.set(bytes.subarray(end), start + by.length);
  return out;
}

const setByte: Mutation = (bytes, random) => {
  bytes[random.below(bytes.length)] = random.oneIn(2) ? random.below(256) : random.pick([0, 1, 0x7f, 0x80, 0xff]);
  return bytes;
};

const flipBit: Mutation = (bytes, random) => {
  bytes[random.below(bytes.length)] ^= 1 << random.below(8);
  return bytes;
};

const setInt32: Mutation = (bytes, random) => {
  if (bytes.length < 4) return bytes;
  const at = random.oneIn(4) ? random.below(bytes.length - 3) : random.below(bytes.length >> 2) * 4;
  viewOf(bytes).setInt32(at, random.pick(AWKWARD_INT32), true);
  return bytes;
};

const nudgeInt32: Mutation = (bytes, random) => {
  if (bytes.length < 4) return bytes;
  const view = viewOf(bytes);
  const at = random.below(bytes.length >> 2) * 4;
  view.setInt32(at, view.getInt32(at, true) + random.pick([-8, -4, -1, 1, 4, 8]), true);
  return bytes;
};

const truncate: Mutation = (bytes, random) => bytes.slice(0, random.below(bytes.length));

const remove: Mutation = (bytes, random) => {
  const start = random.below(bytes.length);
  const length = 1 + random.below(Math.min(64, bytes.length - start));
  return replaced(bytes, start, start + length, new Uint8Array(0));
};

const repeat: Mutation = (bytes, random) => {
  const start = random.below(bytes.length);
  const length = 1 + random.below(Math.min(64, bytes.length - start));
  return replaced(bytes, start, start, bytes.slice(start, start + length));
};

const copyOver: Mutation = (bytes, random) => {
  const length = Math.min(1 + random.below(64), bytes.length);
  const from = random.below(bytes.length - length + 1);
  bytes.copyWithin(random.below(bytes.length - length + 1), from, from + length);
  return bytes;
};

const insert: Mutation = (bytes, random) => {
  const at = random.below(bytes.length + 1);
  const added = Uint8Array.from({ length: 1 + random.below(16) }, () => random.below(256));
  return replaced(bytes, at, at, added);
};

const append: Mutation = (bytes, random) =>
  replaced(bytes, bytes.length, bytes.length, bytes.slice(random.below(bytes.length)));

const MUTATIONS: readonly Mutation[] = [
  setByte,
  setByte,
  flipBit,
  setInt32,
  setInt32,
  nudgeInt32,
  truncate,
  remove,
  repeat,
  copyOver,
  insert,
  append,
];

/** A copy with one to four random changes; most often one, because a single fault is the hardest to notice. */
export function mutateBytes(input: Uint8Array, random: Random): Uint8Array {
  // A Buffer's slice() shares its memory.
  let bytes: Uint8Array = new Uint8Array(input);
  const changes = random.oneIn(3) ? 1 + random.below(4) : 1;
  for (let i = 0; i < changes && bytes.length > 0; i++) bytes = random.pick(MUTATIONS)(bytes, random);
  return bytes;
}

/** A copy with a stretch replaced by a stretch of another input, as when two files are joined by mistake. */
export function spliceBytes(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  const start = random.below(input.length + 1);
  const end = start + random.below(input.length - start + 1);
  const from = random.below(other.length + 1);
  return replaced(input, start, end, other.slice(from, from + random.below(other.length - from + 1)));
}
