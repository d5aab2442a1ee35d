/** A straight line through points, as R's `lm(y ~ x)` fits it. */
export interface LineFit {
  readonly slope: number;
  readonly intercept: number;
  /** The share of the variance of y that the line explains; NaN if y is constant. */
  readonly r2: number;
  readonly count: number;
  /** The value of the line at x, and half the width of its confidence band there. */
  readonly at: (x: number) => { readonly fit: number; readonly margin: number };
}

/**
 * Fits a line by least squares. The margin of its band is the `level` quantile of Student's t with n − 2 degrees of
 * freedom times the standard error of the mean at x; NaN for two points. Undefined for fewer points, and where all x
 * are equal.
 */
export function fitLine(x: ArrayLike<number>, y: ArrayLike<number>, level = 0.95): LineFit | undefined {
  const count = x.length;
  const meanX = meanOf(x);
  const meanY = meanOf(y);
  let squaresX = 0;
  let squaresY = 0;
  let products = 0;
  for (let i = 0; i < count; i++) {
    squaresX += (x[i] - meanX) ** 2;
    squaresY += (y[i] - meanY) ** 2;
    products += (x[i] - meanX) * (y[i] - meanY);
  }
  if (count < 2 || !(squaresX > 0)) return undefined;
  const slope = products / squaresX;
  let residuals = 0;
  for (let i = 0; i < count; i++) residuals += (y[i] - meanY - slope * (x[i] - meanX)) ** 2;
  const factor = studentMargin(count - 2, level) * Math.sqrt(residuals / (count - 2));
  return {
    slope,
    intercept: meanY - slope * meanX,
    r2: 1 - residuals / squaresY,
    count,
    at: (at) => ({
      fit: meanY + slope * (at - meanX),
      margin: factor * Math.sqrt(1 / count + (at - meanX) ** 2 / squaresX),
    }),
  };
}

/** In two passes, so that numbers far from zero, such as milliseconds since 1970, keep their digits. */
function meanOf(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i];
  const mean = sum / values.length;
  let rest = 0;
  for (let i = 0; i < values.length; i++) rest += values[i] - mean;
  return mean + rest / values.length;
}

/** Above this the expansion at infinity is exact to 11 digits. */
const MANY_DEGREES = 1_000;

/**
 * The t for which a variable of Student's distribution with a whole number of degrees of freedom is within ±t with
 * probability `level`, such as 2.0106 for 48 degrees and 0.95; NaN without a degree of freedom.
 */
export function studentMargin(degrees: number, level = 0.95): number {
  if (degrees < 1) return Number.NaN;
  if (degrees > MANY_DEGREES) return fromNormal(degrees, normalMargin(level));
  // By bisection of the angle whose tangent is t / sqrt(degrees).
  let low = 0;
  let high = Math.PI / 2;
  while (high - low > Number.EPSILON) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (probabilityWithin(middle, degrees) < level) low = middle;
    else high = middle;
  }
  return Math.sqrt(degrees) * Math.tan((low + high) / 2);
}

/** The probability between −t and t in closed form (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function probabilityWithin(angle: number, degrees: number): number {
  const cosine = Math.cos(angle);
  const isOdd = degrees % 2 === 1;
  let term = isOdd ? cosine : 1;
  let sum = degrees === 1 ? 0 : term;
  for (let k = isOdd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= ((k - 1) / k) * cosine ** 2;
    sum += term;
  }
  return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
}

/** The quantile of the normal distribution, adapted to a large number of degrees (Abramowitz and Stegun 26.7.5). */
function fromNormal(degrees: number, z: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + (first + (second + third / degrees) / degrees) / degrees;
}

/** The z for which a normal variable is within ±z with probability `level`, by bisection. */
function normalMargin(level: number): number {
  let low = 0;
  let high = 10;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (errorFunction(middle / Math.SQRT2) < level) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** By its series, which is exact enough below 4. */
function errorFunction(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 400; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
