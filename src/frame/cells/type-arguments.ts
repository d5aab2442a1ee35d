/** The key of the method by which a kernel reads the type arguments of a value. */
const TYPE_ARGUMENTS = Symbol.for("arrowbook.typeArguments");

/**
 * Lets a notebook's compiler use the data: gives a prototype a method that returns the TypeScript types of the class's
 * type parameters for one value, or undefined while they are unknown. The method is not enumerable.
 */
export function showTypeArguments<T extends object>(
  prototype: T,
  typesOf: (value: T) => readonly string[] | undefined,
): void {
  Object.defineProperty(prototype, TYPE_ARGUMENTS, {
    configurable: true,
    value(this: T): readonly string[] | undefined {
      return typesOf(this);
    },
  });
}
