export type Paint = (text: string) => string;

const style =
  (on: number, off: number): Paint =>
  (text) =>
    text === "" ? text : `\u001b[${on}m${text}\u001b[${off}m`;

export const bold = style(1, 22);
export const faint = style(2, 22);
export const red = style(31, 39);
export const green = style(32, 39);

/** Whether a stream is a terminal with colours: `NO_COLOR` and `TERM=dumb` turn them off, `FORCE_COLOR` on. */
export function hasColors(stream: { readonly isTTY?: boolean; readonly hasColors?: () => boolean }): boolean {
  return stream.isTTY === true && stream.hasColors?.() === true;
}

export function firstLine(text: string, paint: Paint): string {
  const end = text.indexOf("\n");
  return end === -1 ? paint(text) : paint(text.slice(0, end)) + text.slice(end);
}
