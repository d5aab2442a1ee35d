import { LIVE_MODULE } from "../../display/base/live-module.js";

/**
 * The module of the controls of `interact()` in the page. At most one message is on its way: while the kernel is busy,
 * only the newest values are kept.
 */
export const CONTROLS_MODULE = `${LIVE_MODULE}
const TYPING_MS = 250;
const PATIENCE_MS = 400;
/** After this time without a reply the newest values are sent all the same. */
const LOST_MS = 10_000;

const initialize = ({ model }) => {
  const controls = model.get("controls");
  const values = [...model.get("values")];
  let seq = 0;
  let isWaiting = false;
  let isChanged = false;
  let isLate = false;
  let lost;
  let late;
  let views;

  const send = () => {
    if (isWaiting) {
      isChanged = true;
      return;
    }
    isWaiting = true;
    isChanged = false;
    model.send({ kind: "values", seq: ++seq, values: [...values] });
    clearTimeout(lost);
    clearTimeout(late);
    lost = setTimeout(done, LOST_MS);
    late = setTimeout(() => {
      isLate = true;
      views.update();
    }, PATIENCE_MS);
  };

  const done = () => {
    clearTimeout(lost);
    clearTimeout(late);
    isWaiting = false;
    isLate = false;
    if (isChanged) send();
    views.update();
  };

  const set = (at, value) => {
    if (values[at] === value) return;
    values[at] = value;
    send();
    views.update();
  };

  const field = (members, at, grid, typed) => {
    const input = Object.assign(make("input", grid), members);
    make("span", grid);
    input.oninput = () => typed(input);
    return [input, () => {
      if (document.activeElement !== input) input.value = values[at];
    }];
  };

  const builders = {
    range(control, at, grid) {
      const input = make("input", grid);
      Object.assign(input, { type: "range", min: control.min, max: control.max, step: control.step });
      const output = make("output", grid);
      input.oninput = () => set(at, Number(input.value));
      return [input, () => {
        if (Number(input.value) !== values[at]) input.value = values[at];
        output.textContent = String(values[at]);
      }];
    },
    choice(control, at, grid) {
      const input = make("select", grid);
      control.labels.forEach((label) => make("option", input, label));
      make("span", grid);
      input.onchange = () => set(at, input.selectedIndex);
      return [input, () => void (input.selectedIndex = values[at])];
    },
    check(_, at, grid) {
      const input = make("input", grid);
      input.type = "checkbox";
      make("span", grid);
      input.onchange = () => set(at, input.checked);
      return [input, () => void (input.checked = values[at])];
    },
    text(_, at, grid) {
      let typing;
      return field({ type: "text" }, at, grid, (input) => {
        clearTimeout(typing);
        typing = setTimeout(() => set(at, input.value), TYPING_MS);
      });
    },
    number: (_, at, grid) => field({ type: "number", step: "any" }, at, grid, (input) => {
      if (input.value !== "" && Number.isFinite(Number(input.value))) set(at, Number(input.value));
    }),
  };

  const build = (root) => {
    const grid = make("div", root, "", "arrowbook-controls");
    const refresh = controls.map((control, at) => {
      const label = make("label", grid, control.name);
      const [input, update] = builders[control.kind](control, at, grid);
      input.id = model.get("target") + "-" + at;
      label.htmlFor = input.id;
      return update;
    });
    const update = () => {
      for (const each of refresh) each();
      grid.style.opacity = isLate ? "0.6" : "";
      grid.title = isLate ? "waiting for the kernel" : "";
    };
    update();
    return update;
  };

  model.on("msg:custom", (message) => {
    if (message?.kind === "done" && message.seq === seq) done();
  });
  views = live(model, build);
  return () => {
    clearTimeout(lost);
    clearTimeout(late);
    views.stop();
  };
};

export default { initialize };
`;
