// A JupyterLab server whose settings, kernels and notebooks are in a folder of the tests.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/free-port.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const START_MS = 180_000;

/** Starts JupyterLab with the kernel that `arrowbook kernel install` installs. */
export async function startLab(programs, folder) {
  const work = join(folder, "work");
  const settings = join(folder, "settings");
  // Progress is not shown where this variable is set.
  const { CI, ...variables } = process.env;
  const env = {
    ...variables,
    HOME: folder,
    PATH: `${programs}:${process.env.PATH}`,
    JUPYTER_DATA_DIR: join(folder, "data"),
    JUPYTER_CONFIG_DIR: join(folder, "config"),
    JUPYTER_RUNTIME_DIR: join(folder, "runtime"),
    JUPYTERLAB_SETTINGS_DIR: settings,
    JUPYTERLAB_WORKSPACES_DIR: join(folder, "workspaces"),
    ARROWBOOK_URL: "",
  };
  mkdirSync(work);
  userSettings(settings, "apputils-extension/notification", { fetchNews: "false", checkForUpdates: false });
  // Nothing is inserted but what the test types.
  const config = { autoClosingBrackets: false };
  userSettings(settings, "notebook-extension/tracker", { codeCellConfig: config });
  // The kernel's reply counts where the machine is busy; the default is a second.
  userSettings(settings, "completer-extension/manager", { providerTimeout: 10_000 });
  execFileSync(process.execPath, [join(root, "dist/esm/cli.js"), "kernel", "install"], { env, stdio: "ignore" });
  const port = await freePort();
  const log = join(folder, "lab.log");
  const out = openSync(log, "w");
  const args = ["--no-browser", "--allow-root", "--ip=127.0.0.1", `--port=${port}`, `--ServerApp.root_dir=${work}`];
  const open = [
    "--IdentityProvider.token=",
    "--ServerApp.password=",
    "--ServerApp.disable_check_xsrf=True",
    "--expose-app-in-browser",
  ];
  const child = spawn(join(programs, "jupyter-lab"), [...args, ...open], { env, stdio: ["ignore", out, out] });
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/api`)
      .then(({ ok }) => ok)
      .catch(() => false);
  for (const end = Date.now() + START_MS; !(await isUp()); await sleep(200)) {
    if (Date.now() < end && child.exitCode === null) continue;
    throw new Error(`JupyterLab did not start:\n${readFileSync(log, "utf8").split("\n").slice(-20).join("\n")}`);
  }
  return {
    url,
    work,
    /** Shuts down the kernels of all notebooks. */
    async shutDownKernels() {
      const kernels = await (await fetch(`${url}/api/kernels`)).json();
      await Promise.all(kernels.map(({ id }) => fetch(`${url}/api/kernels/${id}`, { method: "DELETE" })));
    },
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await Promise.race([new Promise((done) => child.once("exit", done)), sleep(5000)]);
      child.kill("SIGKILL");
    },
  };
}

function userSettings(folder, plugin, values) {
  const path = join(folder, "@jupyterlab", `${plugin}.jupyterlab-settings`);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, JSON.stringify(values));
}
