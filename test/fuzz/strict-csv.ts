/** A cell as RFC 4180 has it; null: nothing between two commas, not even quotes. */
export type StrictCell = string | null;

/**
 * The records of a CSV text, read by a second reader that shares no code with the first: quotes, doubled quotes, line
 * ends LF, CRLF and CR. Undefined where the text is malformed: a quote inside an unquoted cell, text after a closing
 * quote, a quote that never closes.
 */
export function strictRecords(text: string): StrictCell[][] | undefined {
  const records: StrictCell[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/y;
  let record: StrictCell[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length || record.length > 0) {
    cell.lastIndex = at;
    const found = cell.exec(text);
    if (found === null) return undefined;
    const [{ length }, quoted, bare, end] = found;
    record.push(quoted === undefined ? bare || null : quoted.replaceAll('""', '"'));
    at += length;
    if (end === ",") continue;
    records.push(record);
    record = [];
  }
  return records;
}

/**
 * The text of a cell read as a service type, or undefined where it does not fit; written with BigInt and Date, without
 * haste.
 */
export function strictValue(text: string, type: string): string | undefined {
  const decimal = /^BigDecimal\((\d+),(\d+)\)$/.exec(type);
  if (decimal !== null) return decimalText(text, Number(decimal[1]), Number(decimal[2]));
  switch (type) {
    case "String":
      return text;
    case "Date":
      return isDay(text) ? text : undefined;
    case "DateTime":
      return instant(text);
    case "Integer": {
      const whole = decimalText(text, 19, 0);
      return whole !== undefined && BigInt.asIntN(64, BigInt(whole)) === BigInt(whole) ? whole : undefined;
    }
    case "double":
      return double(text);
    case "Boolean":
      if (/^(?:true|1)$/i.test(text)) return "true";
      return /^(?:false|0)$/i.test(text) ? "false" : undefined;
    default:
      throw new Error(`no judge for the type ${type}`);
  }
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < "0001") return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function instant(text: string): string | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z| UTC)$/.exec(text);
  if (parts === null || !isDay(parts[1]) || parts[2] > "23:59:59") return undefined;
  const [, day, time, digits = ""] = parts;
  if (!/^\d{0,3}0*$/.test(digits) || !/^..:[0-5].:[0-5].$/.test(time)) return undefined;
  const ms = digits.slice(0, 3).padEnd(3, "0");
  return `${day}T${time}${ms === "000" ? "" : `.${ms}`}Z`;
}

const NUMBER = /^([+-]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:[eE]([+-]?\d+))?$/;

function double(text: string): string | undefined {
  if (/^[+-]?nan$/i.test(text)) return "NaN";
  if (/^[+-]?inf(?:inity)?$/i.test(text)) return text.startsWith("-") ? "-Infinity" : "Infinity";
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isFinite(value)) return undefined;
  if (Object.is(value, -0)) return "-0.0";
  return Number.isInteger(value) && !String(value).includes("e") ? `${value}.0` : String(value);
}

function decimalText(text: string, precision: number, scale: number): string | undefined {
  const parts = NUMBER.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = "", after = "", fraction = after, exponent = "0"] = parts;
  const written = `${whole}${fraction}`.replace(/^0+/, "");
  const digits = written.replace(/0+$/, "");
  if (digits === "") return scale === 0 ? "0" : `0.${"0".repeat(scale)}`;
  const zeros = Number(exponent) - fraction.length + (written.length - digits.length) + scale;
  if (zeros < 0 || digits.length + zeros > precision) return undefined;
  const all = `${digits}${"0".repeat(zeros)}`.padStart(scale + 1, "0");
  const point = all.length - scale;
  return `${sign === "-" ? "-" : ""}${all.slice(0, point)}${scale === 0 ? "" : `.${all.slice(point)}`}`;
}
