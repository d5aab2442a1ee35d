import { withoutKeys } from "./without-keys.js";

/** A request of `fetch`. */
export interface Asked {
  readonly method: string;
  readonly address: URL;
  readonly headers: Headers;
  readonly body?: string;
}

/** The request that the arguments of `fetch` describe. */
export async function askedBy(input: string | URL | Request, init: RequestInit | undefined): Promise<Asked> {
  // A copy: the caller's request must stay readable.
  const request = input instanceof Request ? new Request(input.clone(), init) : new Request(input, init);
  const body = request.body === null ? undefined : await request.clone().text();
  return {
    method: request.method,
    address: new URL(request.url),
    headers: request.headers,
    ...(body === undefined ? {} : { body }),
  };
}

/** The body of a request as recordings hold it. */
export const recordedBody = ({ body }: Asked): { body?: string } =>
  body === undefined ? {} : { body: withoutKeys(`?${body}`).slice(1) };
