import { base64Bytes, compareBytes, latin1Text } from "../../platform/node/bytes.js";
export type PictureSize = { readonly width: number; readonly height: number };

const PNG = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10]);
/** Pixels per metre of a page with 96 pixels an inch. */
const PAGE_DENSITY = 96 / 0.0254;

/**
 * The size of a PNG (in base64) that states its density, as charts do: an image with two pixels for each of the page is
 * shown at half its size. Undefined for other data, and for images that state no density.
 */
export function pictureSize(base64: string): PictureSize | undefined {
  // The density precedes the pixels; the first bytes are enough.
  const bytes = base64Bytes(base64.slice(0, 1_024));
  if (bytes.length < 33 || compareBytes(bytes.subarray(0, 8), PNG) !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  for (let at = 8; at + 21 <= bytes.length; at += 12 + view.getUint32(at)) {
    if (latin1Text(bytes, at + 4, at + 8) !== "pHYs") continue;
    const scale = view.getUint32(at + 8) / PAGE_DENSITY;
    const isMetres = bytes[at + 16] === 1;
    return isMetres && scale > 0 ? { width: Math.round(width / scale), height: Math.round(height / scale) } : undefined;
  }
  return undefined;
}

/** The metadata of a MIME bundle: how large front ends show its picture. */
export function bundleMetadata(bundle: Readonly<Record<string, unknown>>): Record<string, PictureSize> {
  const image = bundle["image/png"];
  const size = typeof image === "string" ? pictureSize(image) : undefined;
  return size === undefined ? {} : { "image/png": size };
}
