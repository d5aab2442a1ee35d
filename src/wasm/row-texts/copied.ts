/** Copies bytes; up to 16 behind them may be read and written. Returns the position after the copy. */
@inline
export function copied(from: usize, length: u32, to: usize): usize {
  if (length <= 16) v128.store(to, v128.load(from));
  else memory.copy(to, from, length);
  return to + length;
}
