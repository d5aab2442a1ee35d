import { createRequire } from "node:module";

const cache = createRequire(import.meta.url).cache;
const PATH = "/somewhere/node_modules/tslab/dist/jupyter.js";

/** A message that a notebook was sent. */
export interface Sent {
  readonly data: Record<string, string>;
  readonly transient: { readonly display_id?: string };
  readonly update: boolean | undefined;
}

/** Puts a tslab of our own among the loaded modules; gives what it was sent, and `cell` that begins the next cell. */
export function fakeTslab() {
  const sent: Sent[] = [];
  const jupyter = { lastWriteDisplayData: undefined as unknown };
  const cell = (): void => {
    jupyter.lastWriteDisplayData = (content: Omit<Sent, "update">, update?: boolean) =>
      sent.push({ ...content, update });
  };
  cell();
  cache[PATH] = { exports: jupyter } as never;
  return { sent, cell };
}

/** Takes it away again. */
export function noTslab(): void {
  delete cache[PATH];
}
