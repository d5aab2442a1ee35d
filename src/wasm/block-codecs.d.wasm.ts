/**
 * The program of block-codecs.ts as WebAssembly, in base64: compiled by .config/assemblyscript.mjs where this is
 * imported.
 */
export declare const binary: string;
