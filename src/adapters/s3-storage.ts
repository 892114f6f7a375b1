import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import {
  type ListedObject,
  ObjectMissing,
  type ObjectRange,
  type ObjectStorage,
  ObjectStorageAway,
  type S3Place,
} from '../ports/storage.ts';
import { type AskedOnWire, boundedAnswers } from './bounded-answers.ts';

/** The maximum number of connections to the storage. Further requests wait. */
const CONNECTIONS = 16;
/** The time limit of one attempt, in milliseconds. */
const ATTEMPT_MS = 10_000;
/** A request that took longer than this many milliseconds is not retried, because a caller is waiting. */
const QUICK_MS = 2_000;
/** The backoff in milliseconds before each retry. A busy storage answers 503, which is retried. */
const PAUSES_MS = [100, 400] as const;
/** The number of concurrent removals. */
const REMOVALS = 8;
/** The connect timeout in milliseconds. */
const CONNECT_MS = 5_000;
/** The largest answers in bytes. An object holds a few MiB (src/store/postgres/objects.ts), a page 1,000 keys. */
const OBJECT_ANSWER_BYTES = 16 * 1024 * 1024;
const LIST_ANSWER_BYTES = 8 * 1024 * 1024;
const SHORT_ANSWER_BYTES = 64 * 1024;
/** The most pages of a list. They hold ten million objects. */
const MOST_PAGES = 10_000;

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** The key without the prefix. Null addresses the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly range?: ObjectRange | undefined;
  readonly body?: Uint8Array;
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Signs a request with the package aws4fetch (AWS Signature Version 4). */
type Sign = (asked: {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
}) => Promise<{ readonly url: URL; readonly headers: Headers }>;

/**
 * Opens a bucket through the S3 API, with path-style URLs.
 *
 * @throws ObjectStorageAway if the package aws4fetch is missing.
 */
export async function s3Storage(place: S3Place): Promise<ObjectStorage> {
  const { AwsV4Signer } = await import('aws4fetch').catch((error: unknown) => {
    throw new ObjectStorageAway(
      'bodies in S3 need the package aws4fetch: install it beside mailcap with `npm i aws4fetch`',
      {
        cause: error,
      },
    );
  });
  const { region, accessKeyId, secretAccessKey, sessionToken } = place;
  const cache = new Map<string, ArrayBuffer>();
  const who = { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) };
  const sign: Sign = (asked) => new AwsV4Signer({ ...asked, ...who, region, service: 's3', cache }).sign();
  return new S3Storage(place, sign);
}

class S3Storage implements ObjectStorage {
  readonly #place: S3Place;
  readonly #sign: Sign;
  readonly #agent = new Agent({
    connections: CONNECTIONS,
    connect: boundedAnswers(buildConnector({ timeout: CONNECT_MS }), longestAnswer),
  });

  constructor(place: S3Place, sign: Sign) {
    this.#place = place;
    this.#sign = sign;
  }

  get url(): string {
    return this.#place.url;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#ask({ method: 'PUT', key, body: bytes });
  }

  async get(key: string, range?: ObjectRange): Promise<Buffer> {
    // HTTP can't express a range of no bytes.
    if (range?.length === 0) return Buffer.alloc(0);
    const answer = await this.#ask({ method: 'GET', key, range });
    if (range === undefined) return answer.body;
    const part = partOf(answer, range);
    if (part === null) throw new ObjectMissing(this.url, `${key} from ${range.start} to ${range.start + range.length}`);
    return part;
  }

  async remove(keys: readonly string[]): Promise<void> {
    // Not every storage implements DeleteObjects, so each object is removed by its own request.
    for (let at = 0; at < keys.length; at += REMOVALS) {
      const some = keys.slice(at, at + REMOVALS);
      await Promise.all(some.map((key) => this.#ask({ method: 'DELETE', key })));
    }
  }

  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    const from = this.#place.prefix;
    let pages = 0;
    for (let more: string | null = ''; more !== null; ) {
      if (pages++ === MOST_PAGES) throw new ObjectStorageAway(`${this.url} lists objects without an end`);
      const query = { 'list-type': '2', prefix: from + prefix, ...(more === '' ? {} : { 'continuation-token': more }) };
      const { body, headers } = await this.#ask({ method: 'GET', key: null, query });
      const { objects, next } = listedIn(body.toString());
      const now = Date.parse(String(headers['date']));
      if (Number.isNaN(now)) throw new ObjectStorageAway(`${this.url} does not tell the time`);
      yield objects.map(({ key, modifiedAt }) => ({ key: key.slice(from.length), ageMs: now - modifiedAt }));
      if (next === more) throw new ObjectStorageAway(`${this.url} lists the same page again`);
      more = next;
    }
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #ask(asked: Asked): Promise<Answer> {
    const failures: string[] = [];
    let cause: unknown;
    const startedAt = performance.now();
    for (const wait of [0, ...PAUSES_MS]) {
      if (performance.now() - startedAt > QUICK_MS) break;
      if (wait > 0) await pause(wait);
      const answer = await this.#attempt(asked).catch((error: unknown) => {
        cause = error;
        failures.push(error instanceof Error ? error.message || String(Reflect.get(error, 'code')) : String(error));
        return null;
      });
      if (answer === null) continue;
      if (answer.status < 300 || (answer.status === 404 && asked.method === 'DELETE')) return answer;
      const problem = problemIn(answer.body.toString());
      if (asked.key !== null && asked.method === 'GET' && (problem === 'NoSuchKey' || answer.status === 416))
        throw new ObjectMissing(this.url, asked.key);
      failures.push(`${answer.status}${problem === '' ? '' : ` ${problem}`}`);
      if (answer.status < 500 && answer.status !== 429) break;
    }
    throw new ObjectStorageAway(`${this.url} does not answer as it should: ${failures.at(-1)}`, { cause });
  }

  async #attempt({ method, key, query = {}, range, body }: Asked): Promise<Answer> {
    const { endpoint, bucket, prefix } = this.#place;
    const path = key === null ? '' : `/${prefix}${key}`;
    const search = new URLSearchParams(query).toString();
    const signed = await this.#sign({
      method,
      url: `${endpoint}/${bucket}${path.split('/').map(encodeURIComponent).join('/')}${search === '' ? '' : `?${search}`}`,
      headers: {
        // With this checksum, the storage refuses bytes that the network changed.
        'X-Amz-Content-Sha256': createHash('sha256')
          .update(body ?? '')
          .digest('hex'),
        ...(range === undefined ? {} : { Range: `bytes=${range.start}-${range.start + range.length - 1}` }),
      },
    });
    const answer = await this.#agent.request({
      origin: signed.url.origin,
      path: signed.url.pathname + signed.url.search,
      method: method satisfies Dispatcher.HttpMethod,
      headers: Object.fromEntries(signed.headers),
      body: body ?? null,
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  }
}

function longestAnswer({ method, path }: AskedOnWire): number {
  if (method !== 'GET') return SHORT_ANSWER_BYTES;
  return path.includes('?list-type=') ? LIST_ANSWER_BYTES : OBJECT_ANSWER_BYTES;
}

/**
 * Returns the requested range of an answer. A storage may answer with more bytes than requested. Returns null if a part
 * of the range is missing.
 */
function partOf({ status, headers, body }: Answer, { start, length }: ObjectRange): Buffer | null {
  const [, from = '0'] = /^bytes (\d+)-/.exec(String(headers['content-range'])) ?? [];
  const at = start - (status === 206 ? Number(from) : 0);
  const part = at < 0 ? Buffer.alloc(0) : body.subarray(at, at + length);
  return part.length === length ? part : null;
}

// S3 answers in XML with a few fixed elements without attributes. Only keys, times and tokens are read, so a regular
// expression is enough.

/** The maximum number of objects on a page of ListObjectsV2. */
const MOST_OBJECTS = 1_000;
const BEGINNING = '<Contents>';
const END = '</Contents>';

interface Listed {
  readonly objects: readonly { readonly key: string; readonly modifiedAt: number }[];
  /** The token to request the next page. Null on the last page. */
  readonly next: string | null;
}

/** Parses an answer to ListObjectsV2. */
export function listedIn(xml: string): Listed {
  const objects = contentsIn(xml).map((inner) => ({
    key: textOf('Key', inner),
    modifiedAt: Date.parse(textOf('LastModified', inner)),
  }));
  const isCut = textOf('IsTruncated', xml) === 'true';
  return { objects, next: isCut ? textOf('NextContinuationToken', xml) : null };
}

/** Returns the error code of an answer, or '' if it has none. */
function problemIn(xml: string): string {
  return /^[A-Za-z]{1,60}$/.exec(textOf('Code', xml))?.[0] ?? '';
}

/** Returns the content of the elements `Contents`. A regular expression would search to the end for each missing end tag. */
function contentsIn(xml: string): string[] {
  const found: string[] = [];
  let end = 0;
  while (found.length < MOST_OBJECTS) {
    const beginning = xml.indexOf(BEGINNING, end);
    if (beginning < 0) break;
    end = xml.indexOf(END, beginning);
    if (end < 0) break;
    found.push(xml.slice(beginning + BEGINNING.length, end));
  }
  return found;
}

function textOf(name: string, xml: string): string {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? '';
  return text.replaceAll(/&(lt|gt|quot|apos|amp|#\d{1,6}|#x[0-9a-f]{1,5});/gi, (whole, entity: string) => {
    if (entity.startsWith('#')) return String.fromCodePoint(Number(entity.slice(1).replace(/^x/i, '0x')));
    return { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }[entity] ?? whole;
  });
}
