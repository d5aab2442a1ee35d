/**
 * The part that the modules of live views share: `live(model, build)` looks for the static form of the output in the
 * page, hides it and has `build` fill an element beside it, as often as the output is shown. It does so only when the
 * kernel has replied to a `hello`: a page keeps the models of notebooks that were closed. When the comm or the kernel
 * ends, the static form returns. No output has a widget view of its own, so that a stored notebook has the static form
 * only.
 */
export const LIVE_MODULE = String.raw`
const make = (name, parent, text = "", className = "") => {
  const node = document.createElement(name);
  if (text !== "") node.textContent = text;
  if (className !== "") node.className = className;
  parent.append(node);
  return node;
};

const STYLE = [
  ".arrowbook-live { max-width: 100%; color: var(--jp-ui-font-color1, inherit); font-size: var(--jp-ui-font-size1, 13px); }",
  ".arrowbook-bar { display: flex; gap: 6px; align-items: center; margin: 4px 0; }",
  ".arrowbook-bar .arrowbook-state { flex: 1; opacity: 0.85; }",
  ".arrowbook-live .arrowbook-fault { color: var(--jp-error-color0, #b3261e); opacity: 1; }",
  '[data-jp-theme-light="false"] .arrowbook-live .arrowbook-fault { color: #ff8a80; }',
  ".arrowbook-live button, .arrowbook-live input:not([type]), .arrowbook-live input[type=text]," +
    " .arrowbook-live input[type=number], .arrowbook-live select { background: var(--jp-layout-color1, Field);" +
    " color: inherit; border: 1px solid var(--jp-border-color1, #8888); border-radius: 3px; padding: 2px 6px;" +
    " font: inherit; box-sizing: border-box; }",
  ".arrowbook-live input:focus, .arrowbook-live select:focus, .arrowbook-live button:focus-visible" +
    " { outline: 1px solid var(--jp-brand-color1, Highlight); }",
  ".arrowbook-live button { cursor: pointer; min-width: 28px; }",
  ".arrowbook-live button:disabled { opacity: 0.4; cursor: default; }",
  ".arrowbook-live .arrowbook-rows { max-height: 420px; overflow: auto; border: 1px solid var(--jp-border-color2, #8884); }",
  ".arrowbook-live .arrowbook-rows table { margin: 0; border-collapse: separate; border-spacing: 0; }",
  ".arrowbook-live .arrowbook-rows td, .arrowbook-live .arrowbook-rows th { white-space: nowrap; text-align: left;" +
    " padding: 4px 6px; }",
  ".arrowbook-live .arrowbook-rows .arrowbook-number { text-align: right; font-variant-numeric: tabular-nums; }",
  ".arrowbook-live .arrowbook-rows thead { position: sticky; top: 0; z-index: 1; }",
  ".arrowbook-live .arrowbook-rows thead tr { background: var(--jp-layout-color1, Canvas); }",
  ".arrowbook-live .arrowbook-rows thead tr:last-child th { border-bottom: 1px solid var(--jp-border-color1, #8888); }",
  ".arrowbook-live .arrowbook-rows thead tr:not(:last-child) th { padding-bottom: 0; }",
  ".arrowbook-live .arrowbook-rows thead tr:first-child th { cursor: pointer; user-select: none; }",
  ".arrowbook-live .arrowbook-rows thead small { font-weight: normal; opacity: 0.75; }",
  ".arrowbook-live .arrowbook-rows thead input { width: 100%; min-width: 72px; font-weight: normal; }",
  ".arrowbook-live .arrowbook-rows thead input.arrowbook-refused { border-color: var(--jp-error-color1, #d32f2f); }",
  ".arrowbook-live .arrowbook-rows em { opacity: 0.6; }",
  ".arrowbook-live .arrowbook-rows th[tabindex]:focus-visible { outline: 2px solid var(--jp-brand-color1, Highlight);" +
    " outline-offset: -2px; }",
  ".arrowbook-live .arrowbook-summary { height: 58px; vertical-align: bottom; font-weight: normal; font-size: 0.85em;" +
    " line-height: 1.3; }",
  ".arrowbook-live .arrowbook-summary svg { display: inline-block; fill: var(--jp-brand-color1, #4c78a8); }",
  ".arrowbook-live .arrowbook-summary div { opacity: 0.85; max-width: 180px; overflow: hidden; text-overflow: ellipsis; }",
  ".arrowbook-live .arrowbook-number.arrowbook-summary div { margin-left: auto; }",
  ".arrowbook-live .arrowbook-code { display: flex; gap: 6px; align-items: start; margin: 4px 0; }",
  ".arrowbook-live .arrowbook-code[hidden] { display: none; }",
  ".arrowbook-live .arrowbook-code code { flex: 1; white-space: pre-wrap; overflow-wrap: anywhere; padding: 3px 6px;" +
    " background: var(--jp-layout-color2, #8882); color: inherit; font-size: var(--jp-code-font-size, 12px); }",
  ".arrowbook-controls { display: grid; grid-template-columns: max-content minmax(120px, 320px) minmax(60px, auto);" +
    " gap: 6px 12px; align-items: center; margin: 4px 0 8px; justify-content: start; }",
  ".arrowbook-controls input[type=range] { width: 100%; accent-color: var(--jp-brand-color1, auto); margin: 0; }",
  ".arrowbook-controls input[type=checkbox] { justify-self: start; margin: 0; accent-color: var(--jp-brand-color1, auto); }",
  ".arrowbook-controls output { font-variant-numeric: tabular-nums; }",
].join("\n");

const live = (model, build) => {
  const target = "#" + model.get("target");
  const places = new Map();
  const found = new Set();
  if (document.getElementById("arrowbook-live-style") === null) {
    make("style", document.head, STYLE).id = "arrowbook-live-style";
  }
  const attach = (node) => {
    for (const old of node.querySelectorAll(":scope > .arrowbook-live")) old.remove();
    const still = [...node.children];
    for (const child of still) child.style.display = "none";
    node.setAttribute("data-live", "kernel");
    const root = make("div", node, "", "arrowbook-live");
    // Plain keys are for the controls; shortcuts such as Ctrl-S still reach the front end.
    const keep = (event) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    for (const kind of ["keydown", "keypress", "keyup"]) root.addEventListener(kind, keep);
    places.set(node, { update: build(root), still, root });
  };
  const scan = () => {
    for (const nodes of [places, found]) {
      for (const node of nodes.keys()) if (!node.isConnected) nodes.delete(node);
    }
    const isNew = (node) => !places.has(node) && !found.has(node);
    const added = [...document.querySelectorAll(target)].filter(isNew);
    if (added.length === 0) return;
    for (const node of added) found.add(node);
    try {
      model.send({ kind: "hello" });
    } catch {
      // The comm of a closed notebook: the static form stays.
    }
  };
  model.on("msg:custom", (message) => {
    if (message?.kind !== "hello") return;
    const ready = [...found];
    found.clear();
    for (const node of ready) if (node.isConnected) attach(node);
  });
  const observer = new MutationObserver(scan);
  const stop = () => {
    observer.disconnect();
    for (const [node, { still, root }] of places) {
      root.remove();
      for (const child of still) child.style.display = "";
      node.removeAttribute("data-live");
    }
    places.clear();
    found.clear();
  };
  model.on("comm_live_update", stop);
  model.on("comm:close", stop);
  observer.observe(document.body, { childList: true, subtree: true });
  scan();
  return { update: () => places.forEach(({ update }) => update()), stop };
};
`;
