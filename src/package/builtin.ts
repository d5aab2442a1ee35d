/** Modules of Node that are slow to load and that few programs need. */
interface Builtins {
  readonly "node:crypto": typeof import("node:crypto");
  readonly "node:http": typeof import("node:http");
  readonly "node:https": typeof import("node:https");
  readonly "node:tls": typeof import("node:tls");
  readonly "node:tty": typeof import("node:tty");
  readonly "node:v8": typeof import("node:v8");
  readonly "node:vm": typeof import("node:vm");
  readonly "node:worker_threads": typeof import("node:worker_threads");
  readonly "node:zlib": typeof import("node:zlib");
}

/** A module of Node, loaded on first use: imported, these would add a tenth to the time in which this package loads. */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] {
  return process.getBuiltinModule(name);
}
