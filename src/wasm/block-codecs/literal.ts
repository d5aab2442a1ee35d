/** Copies `length` bytes; up to 31 more are read and written behind them. */
@inline
export function copyLiteral(to: usize, from: usize, length: u32): void {
  if (length > 32) {
    memory.copy(to, from, length);
    return;
  }
  v128.store(to, v128.load(from));
  if (length > 16) v128.store(to, v128.load(from, 16), 16);
}
