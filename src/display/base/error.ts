import { ArrowbookError } from "../../errors/errors.js";
import { scrub } from "../../errors/secrets.js";
import { showsStack } from "../../errors/stack.js";
import { type Card, showAsCard } from "./card.js";
import { INSPECT } from "./show.js";

/** An error as a card: what happened, where, what to do next. The hint contains the nearest names. */
export function errorCard(error: ArrowbookError): Card {
  return {
    title: `${error.name} ${error.code}`,
    text: error.message,
    isError: true,
    entries: [
      ["row", error.row],
      ["column", error.column],
      ["value", error.value],
      ["byte offset", error.offset],
      ["status", error.status],
      ["request id", error.requestId],
      ["answer", error.body],
      ["because", causeText(error.cause)],
    ],
    ...(error.hint !== undefined && { next: error.hint }),
  };
}

function causeText(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return typeof cause === "string" ? cause : undefined;
  const deeper = causeText(cause.cause);
  return deeper === undefined ? cause.message : `${cause.message} (${deeper})`;
}

/** Renders errors of this package as cards; called once, in the entry file. */
export function showErrorsAsCards(): void {
  showAsCard(ArrowbookError.prototype, errorCard);
  const show = Reflect.get(ArrowbookError.prototype, INSPECT) as (...args: unknown[]) => string;
  Object.defineProperty(ArrowbookError.prototype, INSPECT, {
    configurable: true,
    value(this: ArrowbookError, depth: number, options: object): string {
      const text = show.call(this, depth, options);
      return showsStack() ? `${text}\n${scrub(this.stack ?? "")}` : text;
    },
  });
}
