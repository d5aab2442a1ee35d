/** The part of WebAssembly in use; TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Record<string, unknown>;
  }
}

/** A program in base64: `x.wasm` is compiled from `x.ts` by .config/assemblyscript.mjs where it is imported. */
declare module "*.wasm" {
  export const binary: string;
}

/** A file in base64, put into the code for pages by .config/browser.mjs. */
declare module "*.bin" {
  export const binary: string;
}
