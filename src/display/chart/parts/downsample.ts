/**
 * The positions of at most `limit` points that preserve the shape of a line (largest triangle three buckets, Sveinn
 * Steinarsson 2013): the first, the last, and from each bucket between them the point that forms the largest triangle
 * with its neighbours. `x` is ascending; points whose y is NaN are skipped.
 */
export function lttb(x: ArrayLike<number>, y: ArrayLike<number>, limit: number): number[] {
  const points: number[] = [];
  for (let i = 0; i < y.length; i++) if (!Number.isNaN(y[i])) points.push(i);
  if (points.length <= limit || limit < 3) return points;
  const kept = [points[0]];
  const size = (points.length - 2) / (limit - 2);
  for (let bucket = 0; bucket < limit - 2; bucket++) {
    const from = Math.floor(bucket * size) + 1;
    const end = Math.floor((bucket + 1) * size) + 1;
    const next = meanOf(x, y, points, end, Math.min(points.length, Math.floor((bucket + 2) * size) + 1));
    const last = kept[kept.length - 1];
    let best = points[from];
    let largest = -1;
    for (let i = from; i < end; i++) {
      const at = points[i];
      const area = Math.abs((x[last] - next.x) * (y[at] - y[last]) - (x[last] - x[at]) * (next.y - y[last]));
      if (area > largest) {
        largest = area;
        best = at;
      }
    }
    kept.push(best);
  }
  kept.push(points[points.length - 1]);
  return kept;
}

function meanOf(x: ArrayLike<number>, y: ArrayLike<number>, points: readonly number[], from: number, end: number) {
  let sumX = 0;
  let sumY = 0;
  for (let i = from; i < end; i++) {
    sumX += x[points[i]];
    sumY += y[points[i]];
  }
  const count = Math.max(1, end - from);
  return { x: sumX / count, y: sumY / count };
}
