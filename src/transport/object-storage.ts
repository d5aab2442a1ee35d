import { FileError, InputError } from "../errors/errors.js";
import { rememberSecret } from "../errors/secrets.js";
import { wholeFile } from "../format/random-access.js";
import { decodeEntities } from "../format/xml/text.js";
import { environment } from "../platform/node/process.js";
import { percentDecoded } from "../value/text.js";
import type { Target } from "./exchange.js";
import { type RemoteAddress, RemoteFile } from "./remote-file.js";

/** A bucket of an object storage and a key in it, or the start of keys. */
export interface StoredObject {
  readonly bucket: string;
  readonly key: string;
}

/** The object at `s3://bucket/key`. Requests are signed if the environment holds credentials. */
export function objectAt(object: StoredObject): RemoteFile {
  const { bucket, key } = object;
  const path = key.split("/").map(encoded).join("/");
  return new RemoteFile(placeOf(bucket, `/${path}`, `s3://${bucket}/${key}`));
}

/**
 * The keys of a bucket that begin with a prefix.
 *
 * @throws {FileError}, {TransportError} where they cannot be listed
 */
export async function keysBelow({ bucket, key }: StoredObject): Promise<string[]> {
  const keys: string[] = [];
  let next: string | undefined;
  do {
    const query = new URLSearchParams({ "list-type": "2", "encoding-type": "url", prefix: key });
    if (next !== undefined) query.set("continuation-token", next);
    // A space is %20 in what is signed.
    const search = query.toString().replaceAll("+", "%20");
    const page = new RemoteFile(placeOf(bucket, `/?${search}`, `s3://${bucket}/${key}`));
    const text = new TextDecoder().decode(await wholeFile(page));
    const found = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(text)?.[1];
    const token = found && decodeEntities(found);
    // A storage that ignores the token lists the first page again and again.
    const isPart = token === undefined ? /<IsTruncated>true</.test(text) : token === next;
    if (isPart || !/<ListBucketResult\b/.test(text)) {
      throw new FileError(`The objects of s3://${bucket}/${key} cannot be listed.`, {
        code: "FileFailed",
        hint: "Check AWS_ENDPOINT_URL and AWS_REGION, or name the files.",
      });
    }
    // A storage may ignore the request to encode keys.
    const isEncoded = /<EncodingType>url</.test(text);
    for (const [, listed] of text.matchAll(/<Key>([^<]*)<\/Key>/g)) {
      const text = decodeEntities(listed);
      const name = (isEncoded ? percentDecoded(text.replaceAll("+", " ")) : undefined) ?? text;
      // Consoles create folders as objects without bytes.
      if (!name.endsWith("/")) keys.push(name);
    }
    next = token;
  } while (next !== undefined);
  return keys;
}

function placeOf(bucket: string, path: string, name: string): RemoteAddress {
  const { endpoint, region, credentials } = settings();
  const isHost = endpoint === undefined && !bucket.includes(".");
  const host = `s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`;
  const base = endpoint ?? (isHost ? `https://${bucket}.${host}` : `https://${host}`);
  const address = isHost ? base + path : `${base}/${bucket}${path}`;
  if (credentials === undefined) {
    const denied = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; without them, requests are not signed.";
    return { address, name, denied };
  }
  const authorize = async (target: Target): Promise<Target> => {
    const { AwsV4Signer } = await import("aws4fetch");
    const { headers } = await new AwsV4Signer({ url: target.address, service: "s3", region, ...credentials }).sign();
    return { ...target, headers: { ...target.headers, ...Object.fromEntries(headers) } };
  };
  return { address, name, authorize, denied: "Check the AWS variables of the environment, and their rights." };
}

/** The variables that the tools of object storages share. */
function settings() {
  const endpoint = environment["AWS_ENDPOINT_URL_S3"] || environment["AWS_ENDPOINT_URL"] || undefined;
  if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : "")) {
    throw new InputError("AWS_ENDPOINT_URL is not the address of an object storage.", {
      code: "BadAddress",
      hint: "Write it as https://host or http://host:port.",
    });
  }
  const {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
  } = environment;
  for (const secret of [secretAccessKey, sessionToken]) if (secret) rememberSecret(secret);
  return {
    endpoint: endpoint?.replace(/(?<!\/)\/+$/, ""),
    region: environment["AWS_REGION"] || environment["AWS_DEFAULT_REGION"] || "us-east-1",
    credentials:
      accessKeyId && secretAccessKey
        ? { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
        : undefined,
  };
}

/** A part of a key in a path, as it is signed. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
