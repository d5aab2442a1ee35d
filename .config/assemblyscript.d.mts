import type { Plugin } from "vitest/config";

export function assemblyScript(): Plugin;
export function inCharacters(bytes: Uint8Array): string;
