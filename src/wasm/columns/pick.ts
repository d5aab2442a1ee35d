/** Stores the values of type `T` at `count` places of 16 bits, one after the other. */
@inline
function pickAs<T>(from: usize, places: usize, count: i32, out: usize): void {
  for (const end = places + (<usize>count << 1); places < end; places += 2, out += sizeof<T>()) {
    store<T>(out, load<T>(from + <usize>load<u16>(places) * sizeof<T>()));
  }
}

/** As {@link pickAs}, for values of 128 bits. */
function pick128(from: usize, places: usize, count: i32, out: usize): void {
  for (const end = places + (<usize>count << 1); places < end; places += 2, out += 16) {
    v128.store(out, v128.load(from + (<usize>load<u16>(places) << 4)));
  }
}

/** As {@link pickAs}, for values of 256 bits. */
function pick256(from: usize, places: usize, count: i32, out: usize): void {
  for (const end = places + (<usize>count << 1); places < end; places += 2, out += 32) {
    const at = from + (<usize>load<u16>(places) << 5);
    v128.store(out, v128.load(at));
    v128.store(out, v128.load(at, 16), 16);
  }
}

/** Copies `count` values of `width` bytes (1, 2, 4, 8, 16 or 32) from these places, numbers of 16 bits. */
export function pick(from: usize, places: usize, count: i32, width: i32, out: usize): void {
  if (width == 16) pick128(from, places, count, out);
  else if (width == 4) pickAs<u32>(from, places, count, out);
  else if (width == 8) pickAs<u64>(from, places, count, out);
  else if (width == 1) pickAs<u8>(from, places, count, out);
  else if (width == 2) pickAs<u16>(from, places, count, out);
  else pick256(from, places, count, out);
}

/** As {@link lookUp}, of values of type `T`. */
@inline
function lookUpAs<T>(from: usize, size: u32, places: usize, count: i32, out: usize): void {
  for (const end = places + (<usize>count << 2); places < end; places += 4, out += sizeof<T>()) {
    const at = load<u32>(places);
    store<T>(out, at < size ? load<T>(from + <usize>at * sizeof<T>()) : <T>0);
  }
}

function lookUp128(from: usize, size: u32, places: usize, count: i32, out: usize): void {
  const none = i64x2.splat(0);
  for (const end = places + (<usize>count << 2); places < end; places += 4, out += 16) {
    const at = load<u32>(places);
    v128.store(out, at < size ? v128.load(from + (<usize>at << 4)) : none);
  }
}

/**
 * Copies `count` values of `width` bytes (1, 2, 4, 8 or 16) from these places, numbers of 32 bits; 0 for places beyond
 * the `size` values, such as -1.
 */
export function lookUp(from: usize, size: u32, places: usize, count: i32, width: i32, out: usize): void {
  if (width == 16) lookUp128(from, size, places, count, out);
  else if (width == 4) lookUpAs<u32>(from, size, places, count, out);
  else if (width == 8) lookUpAs<u64>(from, size, places, count, out);
  else if (width == 1) lookUpAs<u8>(from, size, places, count, out);
  else lookUpAs<u16>(from, size, places, count, out);
}
