/** Least and greatest of the integers of the last {@link delta} or {@link widen}, where there is any. */
export let least: i64 = 0;
export let greatest: i64 = 0;

@inline
export function setRange(low: i64, high: i64): void {
  least = low;
  greatest = high;
}
