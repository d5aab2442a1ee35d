import { expect, it } from "vitest";
import { fitLine, type LineFit, studentMargin } from "../../src/series/core/least-squares.js";

/* scipy.stats.t.ppf, equal to R's qt(0.975, n) and qt(0.995, n). */
const QUANTILES = [
  [1, 12.706204736174694, 63.656741162871526],
  [2, 4.302652729749462, 9.924843200918287],
  [3, 3.1824463052837078, 5.840909309733355],
  [4, 2.7764451051977934, 4.604094871349992],
  [5, 2.5705818356363146, 4.032142983555228],
  [10, 2.228138851986274, 3.16927267261695],
  [30, 2.0422724563012378, 2.7499956535672254],
  [48, 2.010634757624232, 2.6822040269502154],
  [100, 1.9839715185235518, 2.6258905214380173],
  [999, 1.9623414611334493, 2.5807596372676365],
  [1_001, 1.9623367052808798, 2.5807497687505245],
  [5_000, 1.9604385517065073, 2.5768129665562802],
  [1_000_000, 1.959966356814107, 2.5758342201053344],
] as const;

it.each(QUANTILES)("the margin of %i degrees of freedom is R's", (degrees, at95, at99) => {
  expect(Math.abs(studentMargin(degrees) / at95 - 1)).toBeLessThan(2e-11);
  expect(Math.abs(studentMargin(degrees, 0.99) / at99 - 1)).toBeLessThan(2e-11);
});

/* R's data set `cars`: lm(dist ~ speed), predict(interval = "confidence"). */
const SPEED = [
  ...[4, 4, 7, 7, 8, 9, 10, 10, 10, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15],
  ...[15, 16, 16, 17, 17, 17, 18, 18, 18, 18, 19, 19, 19, 20, 20, 20, 20, 20, 22, 23, 24, 24, 24, 24, 25],
];
const DISTANCE = [
  ...[2, 10, 4, 22, 16, 10, 18, 26, 34, 17, 28, 14, 20, 24, 28, 26, 34, 34, 46, 26, 36, 60, 80, 20, 26],
  ...[54, 32, 40, 32, 40, 50, 42, 56, 76, 84, 36, 46, 68, 32, 48, 52, 56, 64, 66, 54, 70, 92, 93, 120, 85],
];

it("fits a line and its confidence band as R's lm does", () => {
  const line = fitLine(SPEED, DISTANCE);
  expect(line?.intercept).toBeCloseTo(-17.579_094_89, 7);
  expect(line?.slope).toBeCloseTo(3.932_408_759, 8);
  expect(line?.r2).toBeCloseTo(0.651_079_380_758, 11);
  const { fit, margin } = (line as LineFit).at(10);
  expect(fit).toBeCloseTo(21.744_993, 5);
  expect(fit - margin).toBeCloseTo(15.461_917, 5);
  expect(fit + margin).toBeCloseTo(28.028_068, 5);
});

it("keeps its digits far from zero, and says where there is no line", () => {
  const far = SPEED.map((speed) => 1.7e12 + speed * 86_400_000);
  const line = fitLine(far, DISTANCE);
  expect((line?.slope as number) * 86_400_000).toBeCloseTo(3.932_408_759, 8);
  expect(fitLine([1, 1, 1], [1, 2, 3])).toBeUndefined();
  expect(fitLine([1], [1])).toBeUndefined();
  expect(fitLine([1, 2], [1, 3])?.at(2)).toEqual({ fit: 3, margin: Number.NaN });
});
