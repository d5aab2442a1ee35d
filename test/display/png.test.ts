import { crc32, inflateSync } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bundleMetadata, pictureSize } from "../../src/display/base/picture-size.js";
import { type Pixels, pngOf } from "../../src/display/chart/png.js";
import { Frame } from "../../src/frame/frame.js";
import { forAll } from "../support/for-all.js";

/** The chunks of a PNG, their checksums checked. */
function chunksOf(png: Uint8Array): Map<string, Buffer> {
  const bytes = Buffer.from(png);
  expect([...bytes.subarray(0, 8)]).toEqual([137, 80, 78, 71, 13, 10, 26, 10]);
  const chunks = new Map<string, Buffer>();
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const named = bytes.subarray(at + 4, at + 8 + length);
    expect(bytes.readUInt32BE(at + 8 + length)).toBe(crc32(named));
    chunks.set(named.toString("latin1", 0, 4), named.subarray(4));
    at += 12 + length;
  }
  return chunks;
}

/** The pixels of a PNG without filters, four bytes each, and its colour type. */
function decoded(png: Uint8Array): Pixels & { readonly kind: number } {
  const chunks = chunksOf(png);
  const header = chunks.get("IHDR") as Buffer;
  const [width, height, kind] = [header.readUInt32BE(0), header.readUInt32BE(4), header[9]];
  const rows = inflateSync(chunks.get("IDAT") as Buffer);
  const size = kind === 3 ? 1 : 3;
  const pixels: number[] = [];
  for (let y = 0; y < height; y++) {
    const from = y * (width * size + 1);
    expect(rows[from]).toBe(0);
    for (let x = 0; x < width; x++) {
      const at = from + 1 + x * size;
      const color =
        kind === 3 ? chunks.get("PLTE")?.subarray(3 * rows[at], 3 * rows[at] + 3) : rows.subarray(at, at + 3);
      pixels.push(...(color ?? []), 255);
    }
  }
  return { width, height, pixels: Uint8Array.from(pixels), kind };
}

const picture = (width: number, height: number, colors: number): Pixels => ({
  width,
  height,
  pixels: Uint8Array.from({ length: 4 * width * height }, (_, i) => {
    const color = (((i >> 2) * 7919) % (width * height)) % colors;
    return [color & 255, color >> 8, (color * 31) & 255, 255][i & 3];
  }),
});

it.each([
  [1, 1, 1, 3],
  [7, 5, 2, 3],
  [40, 30, 256, 3],
  [40, 30, 257, 2],
  [64, 48, 3_000, 2],
])("%i × %i pixels of %i colours round-trip", (width, height, colors, kind) => {
  const before = picture(width, height, colors);
  expect(decoded(pngOf(before))).toEqual({ ...before, kind });
  // Pixels that do not begin at an aligned address of their buffer.
  const shifted = new Uint8Array(before.pixels.length + 1);
  shifted.set(before.pixels, 1);
  expect(decoded(pngOf({ ...before, pixels: shifted.subarray(1) }))).toEqual({ ...before, kind });
  const buffer = Buffer.from(shifted.buffer).subarray(1);
  expect(decoded(pngOf({ ...before, pixels: buffer }))).toEqual({ ...before, kind });
});

it("a chart of one line needs a palette only, and no tooltip reaches its picture", () => {
  const chart = Frame.fromRows([{ n: 1 }, { n: 4 }, { n: 2 }]).plot({ x: "n", mark: "histogram" });
  expect(decoded(chart.toPNG({ scale: 1 }))).toMatchObject({ kind: 3 });
  expect(JSON.stringify(chart.spec)).toContain("tooltip");
});

it("states its density, from which notebooks take the size on the page", async () => {
  const chart = Frame.fromColumns({ x: [1, 2, 3], y: [1, 3, 2] }).plot({ x: "x", y: "y" });
  const natural = pictureSize(Buffer.from(chart.toPNG({ scale: 1 })).toString("base64"));
  for (const scale of [2, 3]) {
    const png = chart.toPNG({ scale });
    const header = chunksOf(png).get("IHDR") as Buffer;
    expect(header.readUInt32BE(0)).toBe(scale * (natural?.width ?? 0));
    expect(pictureSize(Buffer.from(png).toString("base64"))).toEqual(natural);
  }
  const bundle = (chart as unknown as Record<symbol, () => Record<string, unknown>>)[Symbol.for("Jupyter.display")]();
  expect(bundleMetadata(bundle)).toEqual({ "image/png": natural });
  expect(bundleMetadata({ "text/plain": "no picture" })).toEqual({});
});

it("states no size for an image without density, and for any other bytes", () => {
  const plain = chunksOf(pngOf({ width: 1, height: 1, pixels: Uint8Array.of(0, 0, 0, 255) }));
  expect([...plain.keys()]).toContain("pHYs");
  forAll(100, fc.uint8Array({ maxLength: 200 }), (bytes) => {
    const signed = Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), bytes]);
    for (const data of [bytes, signed]) expect(pictureSize(Buffer.from(data).toString("base64"))).toBeUndefined();
  });
});
