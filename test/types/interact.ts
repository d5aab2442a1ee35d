// The values of interact() have the types of their controls. Compiled by `npm run types`; never run.
import { interact, range } from "../../src/notebook.js";

type Expect<Right extends true> = Right;
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

export function controls() {
  const shown = interact(
    { span: range(5, 60), kind: ["line", "bar"], on: true, title: "text", limit: 3, mixed: [1, "all", false] },
    (values) => {
      type Values = typeof values;
      type Checks = [
        Expect<Equal<Values["span"], number>>,
        Expect<Equal<Values["kind"], "line" | "bar">>,
        Expect<Equal<Values["on"], boolean>>,
        Expect<Equal<Values["title"], string>>,
        Expect<Equal<Values["limit"], number>>,
        Expect<Equal<Values["mixed"], 1 | "all" | false>>,
      ];
      // @ts-expect-error: not a control
      values.spam;
      // @ts-expect-error: not assignable
      values.span = 5;
      return undefined as unknown as Checks;
    },
  );
  const kind: "line" | "bar" = shown.values.kind;
  // @ts-expect-error: a date is not a control
  interact({ from: new Date() }, () => undefined);
  // @ts-expect-error: a slider has two ends
  range(5);
  interact({ n: range(0, 1, 0.1, 0.5) }, async ({ n }) => n.toFixed(1));
  return kind;
}
