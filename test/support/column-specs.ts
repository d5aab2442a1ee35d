/** Columns as options take them, of types by names. */
export const columnSpecs = (types: Readonly<Record<string, string>>): { name: string; type: string }[] =>
  Object.entries(types).map(([name, type]) => ({ name, type }));
