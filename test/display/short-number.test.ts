import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shortNumber } from "../../src/display/base/number-text.js";
import { bundleOf } from "../../src/display/table/foreign.js";
import { Frame } from "../../src/index.js";
import { forAll } from "../support/for-all.js";

describe("a double in a table", () => {
  it.each([
    ["122.99297272727273", "122.993"],
    ["-0.012345678901234", "-0.0123457"],
    ["1.2345678901234e-7", "1.23457e-7"],
    ["1234567.891234567", "1234567.89"],
    ["0.30000000000000004", "0.3"],
    ["24.9750", "24.9750"],
    ["1234567.891", "1234567.891"],
    ["12345678901234567890", "12345678901234567890"],
    ["1e+300", "1e+300"],
    ["NaN", "NaN"],
    ["-Infinity", "-Infinity"],
  ])("%s is shown as %s", (text, shown) => {
    expect(shortNumber(text)).toBe(shown);
  });

  it("differs from the number by less than half a unit of the sixth digit, or not at all", () => {
    forAll(100, fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
      const shown = Number(shortNumber(String(x)));
      expect(Math.abs(shown - x)).toBeLessThanOrEqual(Math.abs(x) * 5.0001e-6);
      if (/^-?\d+$/.test(String(x)) || String(Math.abs(x)).replace(/[.]|^0\.0*|e.*$/g, "").length <= 10) {
        expect(shown === x).toBe(true);
      }
    });
  });

  it("is rounded in text and HTML, whole in the title, on request and in the data", () => {
    const frame = Frame.fromRows([{ x: 0.1 + 0.2 }, { x: 1 / 3 }, { x: 2.5 }, { x: null }]);
    expect(String(frame)).toMatch(/0\.3\n.*0\.333333\n.*2\.5\n/);
    expect(frame.toString({ digits: "full" })).toContain("0.3333333333333333");
    expect(frame.toHTML()).toContain('<td title="0.3333333333333333">0.333333</td>');
    expect(frame.toHTML()).toContain("<td>2.5\u2007");
    expect(frame.toHTML({ digits: "full" })).toContain("<td>0.3333333333333333\u2007</td>");
    expect([...frame.rows()][1]).toEqual({ x: 1 / 3 });
    expect(frame.toCSV()).toContain("0.30000000000000004");
  });

  it("has separated thousands on request", () => {
    const rows = [
      { x: 1234567.5, big: 1234567890123456789n, text: "1234567", year: 2024 },
      { x: -999.12345, big: -1000n, text: "-1000", year: null },
      { x: 1e21, big: 0n, text: "", year: 12 },
    ];
    const frame = Frame.fromRows(rows);
    const cells = (html: string): string[] =>
      Array.from(html.matchAll(/<td[^>]*>([^<\u2007]*)/g), ([, text]) => text).filter((text) => text !== "");
    const shown = ["1,234,567.5", "1234567", "2,024.0", "-999.12345", "-1000", "1e+21", "12.0"];
    expect(cells(frame.select("x", "text", "year").toHTML({ thousands: true }))).toEqual(shown);
    expect(frame.select("big").toHTML({ thousands: true })).toContain("1,234,567,890,123,456,789");
    expect(frame.toString({ thousands: true })).toMatch(/1,234,567\.5 .*\n.* -999\.12345 .*-1,000/);
    expect(frame.toHTML()).toContain("<td>1234567.5");
    expect((bundleOf(rows, { thousands: true }) as Record<string, string>)["text/html"]).toContain("1,234,567.5");
  });
});
