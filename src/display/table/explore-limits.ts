/** The most columns of a live table. */
export const MAX_COLUMNS = 50;

const LONGEST_CELL = 500;

/** The text of a cell as a live table receives it. */
export const shortCell = (text: string | null): string | null => text?.slice(0, LONGEST_CELL) ?? null;
