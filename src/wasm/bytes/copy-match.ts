/** For a distance below 8: the least multiple of it that is 8 or more. */
const STEPS = memory.data<u8>([8, 8, 8, 9, 8, 10, 12, 14]);

/** Copies `length` bytes from `distance` bytes before `to`, and up to 31 more behind them. */
@inline
export function copyMatch(to: usize, length: u32, distance: u32): void {
  let from = to - distance;
  if (distance >= 16) {
    v128.store(to, v128.load(from));
    v128.store(to, v128.load(from, 16), 16);
    if (length > 32) {
      const end = to + length;
      to += 32;
      from += 32;
      do {
        v128.store(to, v128.load(from));
        to += 16;
        from += 16;
      } while (to < end);
    }
  } else copyNear(to, length, distance);
}

/** Copies as {@link copyMatch} from less than 16 bytes before. */
function copyNear(to: usize, length: u32, distance: u32): void {
  const end = to + length;
  let from = to - distance;
  if (distance < 8) {
    for (let i: usize = 0; i < 8; i++) store<u8>(to + i, load<u8>(from + i));
    to += 8;
    from = to - load<u8>(STEPS + distance);
  }
  while (to < end) {
    store<u64>(to, load<u64>(from));
    to += 8;
    from += 8;
  }
}
