import type { Vector } from "../../columns/arrow/arrow.js";
import { type ColumnSummary, sampleOf, summaryOf, summarySteps } from "./column-summary.js";

/** How long the summaries of columns hold up other work. */
const STEP_MS = 10;

/**
 * Computes summaries of columns in turns with other work: first of a sample of each requested column, then of all its
 * rows.
 */
export class Summaries {
  private readonly known = new Map<number, ColumnSummary>();
  private readonly samples = new Set<number>();
  private readonly columns = new Set<number>();
  private steps: { readonly at: number; readonly run: Generator<void, ColumnSummary> } | undefined;
  private running: symbol | undefined;

  /** @param emit is called with the position of the column in `vectors` */
  constructor(
    private readonly vectors: readonly Vector[],
    private readonly emit: (at: number, summary: ColumnSummary) => void,
  ) {}

  request(wanted: readonly number[]): void {
    for (const at of wanted) {
      const summary = this.known.get(at);
      if (summary !== undefined) this.emit(at, summary);
      else if (!this.columns.has(at)) {
        this.samples.add(at);
        this.columns.add(at);
      }
    }
    if (this.running === undefined) this.next();
  }

  /** Begins the running column again: its code may have been terminated. */
  restart(): void {
    this.steps = undefined;
    this.next();
  }

  private next(): void {
    const turn = Symbol("turn");
    this.running = this.columns.size > 0 ? turn : undefined;
    if (this.running === undefined) return;
    setImmediate(() => {
      if (this.running !== turn) return;
      const [sample] = this.samples;
      const [column] = this.columns;
      try {
        if (sample !== undefined) this.summarizeSample(sample);
        else this.proceed(column);
      } catch (error) {
        // A column that cannot be read; its rows report it.
        console.error(error);
        this.columns.delete(sample ?? column);
      }
      this.next();
    });
  }

  private summarizeSample(at: number): void {
    this.samples.delete(at);
    const summary = summaryOf(sampleOf(this.vectors[at]));
    if (summary.rows === this.vectors[at].length) this.finish(at, summary);
    else this.emit(at, summary);
  }

  private proceed(at: number): void {
    if (this.steps?.at !== at) this.steps = { at, run: summarySteps(this.vectors[at]) };
    for (const end = performance.now() + STEP_MS; performance.now() < end; ) {
      const { done, value } = this.steps.run.next();
      if (!done) continue;
      this.finish(at, value);
      return;
    }
  }

  private finish(at: number, summary: ColumnSummary): void {
    this.known.set(at, summary);
    this.columns.delete(at);
    this.emit(at, summary);
  }
}
