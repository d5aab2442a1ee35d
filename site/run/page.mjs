// In a page of the site: blocks that run can be edited and have a button.
import { forExamples, program, questionOf } from "./run.mjs";

const DISPLAY = Symbol.for("Jupyter.display");

/** Adds a button to each block of `root` that runs; `base` is the address of the site. */
export function makeRunnable(root, base) {
  const blocks = [...root.querySelectorAll(".runnable + div[class*='language-']")].filter((block) => !block.dataset.runs);
  const codes = blocks.map((block) => block.querySelector("code"));
  blocks.forEach((block, i) => {
    block.dataset.runs = "yes";
    codes[i].contentEditable = "plaintext-only";
    codes[i].spellcheck = false;
    const button = document.createElement("button");
    button.textContent = "Run";
    button.className = "run";
    const output = document.createElement("div");
    output.className = "run-output";
    button.onclick = async () => {
      button.disabled = true;
      output.replaceChildren();
      try {
        await runThrough(codes.slice(0, i + 1).map((code) => code.innerText), output, base);
        if (output.childNodes.length === 0) output.textContent = "ran without output";
      } catch (error) {
        write(output, error);
      }
      button.disabled = false;
      output.dataset.done = "yes";
    };
    block.after(button, output);
  });
}

let loaded;

/** The package, Vega and the replies of the sample service, on first use. */
async function load(base) {
  const script = (name) =>
    new Promise((resolve, reject) => {
      const element = document.createElement("script");
      Object.assign(element, { src: `${base}run/${name}.js`, onload: resolve, onerror: reject });
      document.head.append(element);
    });
  await script("vega");
  await script("vega-lite");
  const replies = await (await fetch(`${base}run/replies.json`)).json();
  return { arrowbook: await import(/* @vite-ignore */ `${base}run/arrowbook.js`), replies };
}

/** Runs blocks, and shows what the last one prints. */
async function runThrough(blocks, output, base) {
  const { arrowbook, replies } = await (loaded ??= load(new URL(base, location.href).href));
  let current = -1;
  const show = (value) => current === blocks.length - 1 && write(output, value);
  const reply = async (address) => {
    const known = replies[questionOf(address)];
    if (known === undefined) {
      throw new Error("This page has the replies to the queries of its examples alone: change what follows them, or install arrowbook.");
    }
    return new Response(known.text, { status: known.status, headers: known.headers });
  };
  const own = forExamples(arrowbook, "https://sample.example", reply, show);
  const log = (...values) => values.every((value) => typeof value !== "object" || value === null) ? show(values.join(" ")) : values.forEach(show);
  await program(blocks)(own, (i) => (current = i), { ...console, log });
}

function write(output, value) {
  const element = document.createElement("div");
  const bundle = typeof value?.[DISPLAY] === "function" ? value[DISPLAY]() : undefined;
  if (typeof value?.toSVG === "function") element.innerHTML = value.toSVG();
  else if (bundle?.["text/html"] !== undefined) element.innerHTML = bundle["text/html"];
  else element.append(Object.assign(document.createElement("pre"), { textContent: textOf(value, bundle) }));
  // Scripts of tables that sort and filter run once they are made anew.
  for (const script of element.querySelectorAll("script")) {
    script.replaceWith(Object.assign(document.createElement("script"), { textContent: script.textContent }));
  }
  output.append(element);
}

function textOf(value, bundle) {
  if (bundle?.["text/plain"] !== undefined) return bundle["text/plain"];
  if (value instanceof Error) return `${value.name}: ${value.message}${value.hint === undefined ? "" : `\n${value.hint}`}`;
  if (typeof value !== "object" || value === null) return String(value);
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part), 1);
}
