import { InputError } from "../../errors/errors.js";
import { base64Bytes } from "../../platform/node/bytes.js";
import type { Fetch } from "./record.js";
import { askedBy, type Exchange, questionOf, readRecording, recordedBody } from "./recording.js";
import { RECORDED, recordedAddress } from "./without-keys.js";

/**
 * A `fetch` that replies from a recording of {@link record}, without a network: by method, address without keys, and
 * body. A request that was recorded several times gets the replies in their order, and then the last one again. The
 * base address of the service and the key may differ from those of the recording.
 *
 * @throws {InputError} NotRecorded from a request that the recording has no reply to; names the nearest one
 * @throws {FileError} FileNotFound, BadRecording from the first request
 *
 * @example
 * ```ts no-run
 * import { connect } from "arrowbook";
 * import { replay } from "arrowbook/testing";
 * const service = connect({ url: "https://data.example.com", apiKey: "any", fetch: replay("test/prices.jsonl") });
 * console.log((await service.table("SHARADAR/SEP").limit(10).frame()).numRows);
 * ```
 */
export function replay(path: string): Fetch {
  let recording: Promise<Map<string, Exchange[]>> | undefined;
  let origin: string | undefined;
  return async (input, init) => {
    recording ??= readRecording(path).then(byQuestion);
    // The error belongs to the request that waits for it.
    recording.catch(() => undefined);
    const asked = await askedBy(input, init);
    origin ??= asked.address.origin;
    const exchanges = await recording;
    init?.signal?.throwIfAborted();
    const address = recordedAddress(asked.address, origin);
    const request = { method: asked.method, address, ...recordedBody(asked) };
    const known = exchanges.get(questionOf(request));
    if (known === undefined) throw notRecorded(path, request, [...exchanges.values()].flat());
    const [exchange] = known;
    if (known.length > 1) known.shift();
    return replyOf(exchange, origin);
  };
}

function byQuestion(exchanges: readonly Exchange[]): Map<string, Exchange[]> {
  const found = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const question = questionOf(exchange);
    found.set(question, [...(found.get(question) ?? []), exchange]);
  }
  return found;
}

const WITHOUT_BODY = new Set([204, 205, 304]);

function replyOf({ status, headers, text, base64 = "" }: Exchange, origin: string): Response {
  const back = (value: string): string => value.replaceAll(RECORDED, origin);
  const body = text === undefined ? base64Bytes(base64) : back(text);
  const own = Object.entries(headers).map(([name, value]) => [name, back(value)] as [string, string]);
  return new Response(WITHOUT_BODY.has(status) ? null : body, { status, headers: own });
}

type Question = Pick<Exchange, "method" | "address" | "body">;

function notRecorded(path: string, request: Question, known: readonly Exchange[]): InputError {
  const [near] = known.map((each) => ({ each, points: likeness(request, each) })).sort((a, b) => b.points - a.points);
  return new InputError(`${path} has no reply to ${shown(request)}.`, {
    code: "NotRecorded",
    hint:
      near === undefined
        ? "The recording is empty: record it again."
        : `The nearest recorded request is ${shown(near.each)}. Request that, or record it again.`,
  });
}

/** Points for an equal method and body, equal parts of the path, and equal parameters. */
function likeness(a: Question, b: Question): number {
  const [one, other] = [new URL(a.address), new URL(b.address)];
  const parts = other.pathname.split("/");
  const path = one.pathname.split("/").filter((part, i) => parts[i] === part).length;
  const names = [...one.searchParams].filter(([name]) => other.searchParams.has(name)).length;
  const values = [...one.searchParams].filter(([name, value]) =>
    other.searchParams.getAll(name).includes(value),
  ).length;
  const missing = [...other.searchParams].filter(([name]) => !one.searchParams.has(name)).length;
  return 8 * path + 2 * values + names - missing + (a.method === b.method ? 4 : 0) + (a.body === b.body ? 4 : 0);
}

function shown({ method, address, body }: Question): string {
  const place = address.startsWith(RECORDED) ? address.slice(RECORDED.length) : address;
  return `${method} ${place}${body === undefined ? "" : ` with ${JSON.stringify(body.slice(0, 200))}`}`;
}
