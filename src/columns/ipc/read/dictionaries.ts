import { type Data, Vector } from "../../arrow/arrow.js";

/** The dictionaries of a stream or file at the current message. */
export class Dictionaries {
  private readonly states = new Map<number, { readonly chunks: Data[]; vector: Vector | undefined }>();

  has(id: number): boolean {
    return this.states.has(id);
  }

  /** Replaces a dictionary; batches that were already read keep the old one. */
  replace(id: number, values: Data): void {
    this.states.set(id, { chunks: [values], vector: undefined });
  }

  /** Appends values to an existing dictionary. */
  extend(id: number, values: Data): void {
    const state = this.states.get(id);
    if (state === undefined || values.length === 0) return;
    state.chunks.push(values);
    state.vector = undefined;
  }

  /** The current values; the same object until they change. */
  find(id: number): Vector | undefined {
    const state = this.states.get(id);
    if (state !== undefined) state.vector ??= new Vector([...state.chunks]);
    return state?.vector;
  }
}
