import { startTests } from "@vitest/runner";

// What tests and their library ask of it; the package itself must not.
const env = new Proxy(
  {},
  { set: () => needNode("the environment"), deleteProperty: () => needNode("the environment") },
);
globalThis.process = { env, argv: [], cwd: () => "/", on() {}, off() {}, nextTick: queueMicrotask };

function needNode(what) {
  throw Object.assign(new Error(`Not in a page: ${what}`), { code: "NeedsNode" });
}

const config = {
  root: "/",
  setupFiles: [],
  name: undefined,
  passWithNoTests: true,
  testNamePattern: undefined,
  allowOnly: false,
  sequence: { seed: 1, hooks: "stack", setupFiles: "list" },
  chaiConfig: undefined,
  maxConcurrency: 1,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  retry: 0,
  includeTaskLocation: false,
  tags: [],
  tagsFilter: undefined,
  strictTags: false,
};

/** Runs a file of tests; gives the outcome of each case. */
export async function run(file) {
  globalThis.__vitest_worker__ = { config, filepath: file, current: undefined, environment: { name: "page" }, rpc: {} };
  const runner = {
    config,
    importFile: (path) => import(path),
    onBeforeRunTask(test) {
      globalThis.__vitest_worker__.current = test;
    },
  };
  const [result] = await startTests([file], runner);
  return outcomes(result, []);
}

function outcomes(task, names) {
  if (task.type !== "test" && (task.tasks?.length ?? 0) > 0 && !task.result?.errors?.length) {
    return task.tasks.flatMap((inner) => outcomes(inner, [...names, inner.name]));
  }
  const { state, errors = [] } = task.result ?? {};
  const title = names.join(" > ");
  if (state === "pass") return task.type === "test" ? [{ state: "passed", title, message: "" }] : [];
  if (state !== "fail") return task.type === "test" ? [{ state: "skipped", title, message: "" }] : [];
  const isNode = errors.some(needsNode);
  return [
    {
      state: isNode ? "node" : "failed",
      title,
      message: errors.map((error) => error.stack ?? error.message).join("; "),
    },
  ];
}

const needsNode = (error) =>
  error !== undefined &&
  error !== null &&
  (OF_NODE.test(`${error.code} ${error.actual?.code} ${error.actual} ${error.message}`) || needsNode(error.cause));

/** Errors of the package, of its place for modules of Node, and of vitest, which mocks modules in Node alone. */
const OF_NODE = /\bNeedsNode\b|\bNoDisk\b|ERR_NO_DISK|Not in a page|Vitest mocker|idToModuleMap|Cannot spy on export/;
