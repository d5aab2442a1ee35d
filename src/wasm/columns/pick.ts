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
