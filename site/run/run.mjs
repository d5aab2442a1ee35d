// Runs the blocks of a page of the documents, in the page and, to record the replies that they need, in Node.

/** Imports as declarations, and declarations that may be repeated, as in a notebook. */
function statements(code) {
  return code
    .replace(/^import\s*\{([\s\S]*?)\}\s*from\s*["']arrowbook["'];?$/gm, (_, names) => `var {${names.replaceAll(/\btype \w+,?/g, "")}} = arrowbook;`)
    .replace(/^(?:const|let) /gm, "var ");
}

const AsyncFunction = (async () => {}).constructor;

/** A program of some blocks, one after the other; throws SyntaxError for what is not JavaScript. */
export function program(blocks) {
  const body = blocks.map((code, i) => `enter(${i});\n${statements(code)}`).join("\n;\n");
  return new AsyncFunction("arrowbook", "enter", "console", body);
}

/** The package with `connect.sample()` and `display` of the page: a service that is reached by `fetch`. */
export function forExamples(arrowbook, url, fetch, show) {
  const sample = async () => Object.assign(arrowbook.connect({ url, apiKey: "sample", fetch, onProgress: false }), { close: async () => {} });
  const connect = Object.assign((options) => arrowbook.connect(options), { sample });
  const display = (value) => {
    show(value);
    return { id: "", update: show };
  };
  return { ...arrowbook, connect, display };
}

/** What identifies a request: the path and the query without the key. */
export function questionOf(address) {
  const url = new URL(address);
  url.searchParams.delete("api_key");
  return url.pathname + url.search;
}
