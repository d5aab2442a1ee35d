/** The module of a program in base64; null where WebAssembly is missing or forbidden. */
export function compiledModule(binary: string): WebAssembly.Module | null {
  if (typeof WebAssembly === "undefined") return null;
  try {
    return new WebAssembly.Module(Buffer.from(binary, "base64"));
  } catch (error) {
    if (error instanceof WebAssembly.CompileError) return null;
    throw error;
  }
}

/** What `make` returns; undefined where WebAssembly gets no memory for it: an instance claims much address space. */
export function withMemory<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
