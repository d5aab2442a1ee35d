import { InputError } from "../../errors/errors.js";
import { shown } from "../../errors/shown.js";

/** A slider from `min` to `max`, made by {@link range}. */
export class Range {
  constructor(
    readonly min: number,
    readonly max: number,
    readonly step: number,
    /** The value at the start. */
    readonly value: number,
  ) {
    Object.freeze(this);
  }
}

/**
 * A slider of {@link interact}, both ends inclusive.
 *
 * @param step the distance of two values; default 1, or a hundredth of the range where it is shorter than 2
 * @param value the value at the start; default the middle
 * @throws {InputError} BadArgument if the range is empty or a number is not finite
 *
 * @example
 * ```ts no-run
 * interact({ span: range(5, 60) }, ({ span }) => prices.rolling(span, "mean").plot());
 * ```
 */
export function range(min: number, max: number, step?: number, value?: number): Range {
  const given = [min, max, step ?? 1, value ?? min];
  if (!given.every((number) => typeof number === "number" && Number.isFinite(number)) || max <= min) {
    throw new InputError(
      `range() expects two finite numbers, the smaller one first; got ${given.map(shown).join(", ")}.`,
      {
        code: "BadArgument",
        hint: "Pass range(min, max), range(min, max, step) or range(min, max, step, value).",
      },
    );
  }
  const by = step ?? (max - min < 2 ? Number(((max - min) / 100).toPrecision(1)) : 1);
  if (by <= 0) {
    throw new InputError(`range() expects a step above 0; got ${shown(step)}.`, {
      code: "BadArgument",
      hint: "Leave the step out for whole numbers.",
    });
  }
  return new Range(min, max, by, snapped(value ?? (min + max) / 2, min, max, by));
}

/** What an argument of {@link interact} is chosen from: a slider, a list, a check box, a text or a number. */
export type Control = Range | readonly (string | number | boolean)[] | boolean | string | number;

/** The type of the value of a control. */
export type ControlValue<C> = C extends Range
  ? number
  : C extends readonly (infer Choice)[]
    ? Choice
    : C extends boolean
      ? boolean
      : C extends string
        ? string
        : C extends number
          ? number
          : never;

/** The values of controls, by name. */
export type ControlValues<Controls> = { readonly [Name in keyof Controls]: ControlValue<Controls[Name]> };

/** A control as the page builds it. Choices are sent by their position. */
export type PageControl = { readonly name: string } & (
  | ({ readonly kind: "range" } & Readonly<Record<"min" | "max" | "step" | "value", number>>)
  | { readonly kind: "choice"; readonly labels: readonly string[]; readonly value: number }
  | { readonly kind: "check"; readonly value: boolean }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
);

/** The values as the page sends them, in the order of the controls. */
export type PageValues = readonly (number | boolean | string)[];

/** @throws {InputError} BadArgument for something that is not a control, an empty list, or no controls */
export function pageControls(controls: Readonly<Record<string, unknown>>): PageControl[] {
  const names = typeof controls === "object" && controls !== null ? Object.keys(controls) : [];
  if (names.length === 0) {
    throw new InputError(`interact() expects an object with controls; got ${shown(controls)}.`, {
      code: "BadArgument",
      hint: 'Pass controls by name: interact({ span: range(5, 60), kind: ["line", "bar"] }, ({ span, kind }) => …).',
    });
  }
  return names.map((name) => pageControl(name, controls[name]));
}

function pageControl(name: string, control: unknown): PageControl {
  if (isRange(control)) {
    const { min, max, step, value } = control;
    return { name, kind: "range", min, max, step, value };
  }
  if (Array.isArray(control) && control.length > 0) {
    return { name, kind: "choice", labels: control.map(String), value: 0 };
  }
  if (typeof control === "boolean") return { name, kind: "check", value: control };
  if (typeof control === "string") return { name, kind: "text", value: control };
  if (typeof control === "number" && Number.isFinite(control)) return { name, kind: "number", value: control };
  throw new InputError(`${shown(name)} of interact() is not a control; got ${shown(control)}.`, {
    code: "BadArgument",
    hint: "A control is range(min, max), a list of choices, true or false, a string, or a number.",
  });
}

/** By shape: it may be of another copy of this package. */
function isRange(control: unknown): control is Range {
  if (typeof control !== "object" || control === null || Array.isArray(control)) return false;
  const { min, max, step, value } = control as Partial<Range>;
  return [min, max, step, value].every((number) => typeof number === "number");
}

/** The values that the page sent; undefined if they do not fit the controls. Sliders are held to their range. */
export function checkedValues(controls: readonly PageControl[], sent: unknown): PageValues | undefined {
  if (!Array.isArray(sent) || sent.length !== controls.length) return undefined;
  const values = controls.map((control, i) => checkedValue(control, sent[i]));
  return values.includes(undefined) ? undefined : (values as PageValues);
}

function checkedValue(control: PageControl, value: unknown): PageValues[number] | undefined {
  if (control.kind === "check") return typeof value === "boolean" ? value : undefined;
  if (control.kind === "text") return typeof value === "string" ? value : undefined;
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  if (control.kind === "range") return snapped(value, control.min, control.max, control.step);
  if (control.kind === "number") return value;
  return Number.isInteger(value) && value >= 0 && value < control.labels.length ? value : undefined;
}

/** The nearest value of a slider, without the digits that binary fractions add. */
function snapped(value: number, min: number, max: number, step: number): number {
  const count = Math.round((Math.min(max, Math.max(min, value)) - min) / step);
  const places = Math.min(100, Math.max(0, 12 - Math.floor(Math.log10(step))));
  const at = (steps: number): number => Number((min + steps * step).toFixed(places));
  return at(count) > max ? at(count - 1) : at(count);
}

/** The values by name, choices as the items of their lists. */
export function namedValues(
  given: Readonly<Record<string, unknown>>,
  controls: readonly PageControl[],
  values: PageValues,
): Record<string, unknown> {
  return Object.fromEntries(
    controls.map(({ name, kind }, i) => [
      name,
      kind === "choice" ? (given[name] as readonly unknown[])[values[i] as number] : values[i],
    ]),
  );
}
