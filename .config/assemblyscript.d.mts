import type { Plugin } from "vitest/config";

export function assemblyScript(): Plugin;
