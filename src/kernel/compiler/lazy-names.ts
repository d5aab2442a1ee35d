/** Names that cells may use without importing them. */
export interface LazyNames {
  /** TypeScript declarations, one statement per line. */
  readonly declarations: string;
  /** A getter for the value of each name. */
  readonly values: Readonly<Record<string, () => unknown>>;
}

/** The declarations without the lines whose name `previous` already declares. */
export function withoutDeclared(declarations: string, previous: string): string {
  const kept = declarations.split("\n").filter((line) => {
    const name = line.match(/(?:import \{ (?:type )?|const |class |type |interface |function )(\w+)/)?.[1];
    return name === undefined || !new RegExp(`\\b${name}\\b`).test(declaredNames(previous));
  });
  return kept.length === 0 ? "" : `${kept.join("\n")}\n`;
}

/** The parts of declarations that introduce names. */
function declaredNames(text: string): string {
  return [
    ...text.matchAll(
      /^(?:export )?(?:declare )?(?:import\s+([^"']+?)\s+from|(?:const|let|var|class|enum|function|type|interface|abstract class)\s+(\w+))/gm,
    ),
  ]
    .map((match) => match[1] ?? match[2])
    .join(" ");
}
