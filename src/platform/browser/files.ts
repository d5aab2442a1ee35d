import type * as node from "../node/files.js";

export const NO_DISK: typeof node.NO_DISK = "ERR_NO_DISK";

const refuse = (): never => {
  throw Object.assign(new Error("A page has no disk"), { code: NO_DISK, syscall: "open" });
};

/** Files and folders do not exist in a page; what opens them fails with the code {@link NO_DISK}. */
export const existsSync: typeof node.existsSync = () => false;
export const closeSync: typeof node.closeSync = refuse;
export const fstatSync = refuse as typeof node.fstatSync;
export const openSync: typeof node.openSync = refuse;
export const readFileSync = refuse as typeof node.readFileSync;
export const readSync: typeof node.readSync = refuse;
export const statSync = refuse as unknown as typeof node.statSync;
const refuseLater = async (): Promise<never> => refuse();
export const open: typeof node.open = refuseLater;
export const readdir = refuseLater as typeof node.readdir;
export const readFile = refuseLater as typeof node.readFile;
export const stat = refuseLater as typeof node.stat;

export const homedir: typeof node.homedir = () => "~";
export const sep = "/" as typeof node.sep;
export const basename: typeof node.basename = (path) => path.slice(path.lastIndexOf("/") + 1);
export const dirname: typeof node.dirname = (path) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
export const relative: typeof node.relative = (from, to) =>
  to.startsWith(`${from}/`) ? to.slice(from.length + 1) : to;
export const resolve: typeof node.resolve = (...parts) => parts[parts.length - 1] ?? "";
export const join: typeof node.join = (...parts) => parts.filter((part) => part !== "").join("/");
export const extname: typeof node.extname = (path) => /(?<=[^/])\.[^./]*$/.exec(path)?.[0] ?? "";
export const fileURLToPath: typeof node.fileURLToPath = (url) => decodeURIComponent(new URL(url).pathname);
