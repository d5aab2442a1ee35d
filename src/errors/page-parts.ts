// What the code for pages has where modules need Node or are loaded by `index` alone (.config/browser.mjs).
import { InputError } from "./errors.js";

/**
 * Replaces what a module exports that needs Node: every call of it, of its members and as a constructor is an error.
 *
 * @public
 * @param what the subject of the message, in the plural or with its article
 */
export function needsNode(what: string): unknown {
  const refuse = (): never => {
    throw new InputError(`Not in a page: ${what}.`, {
      code: "NeedsNode",
      hint: "Run this part in Node; a page reads a File, a Blob, bytes and addresses, and queries a service that allows it (CORS).",
    });
  };
  const place: object = new Proxy(function place() {}, {
    apply: refuse,
    construct: refuse,
    get: (target, name) => (name in target ? Reflect.get(target, name) : place),
  });
  return place;
}

const added = new Map<string, object>();

/** Adds a module that {@link ofPart} finds by its name. @public */
export const addPart = (name: string, module: object): void => void added.set(name, module);

/**
 * Replaces what a module exports that `arrowbook/frame` lacks: the export itself once the module is added, before that
 * an error.
 *
 * @public
 * @param what the subject of the message, in the plural
 */
export function ofPart(what: string, module: string, name: string): unknown {
  // biome-ignore lint/suspicious/noExplicitAny: an export of any kind
  const found = (): any => {
    const part = added.get(module);
    if (part !== undefined) return Reflect.get(part, name);
    throw new InputError(`${what} are not part of arrowbook/frame.`, {
      code: "NotLoaded",
      hint: 'Import "arrowbook" instead, or too: it adds them to the frames that are there.',
    });
  };
  return new Proxy(function place() {}, {
    apply: (_, self, values) => Reflect.apply(found(), self, values),
    construct: (_, values) => Reflect.construct(found(), values),
    get: (_, member) => Reflect.get(found(), member),
  });
}
