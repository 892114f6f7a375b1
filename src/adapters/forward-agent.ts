import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { ATTEMPT_MS, type Headers, KEPT_BYTES, type Outcome } from '../domain/forwarding.ts';
import type { OutgoingRequest } from '../ports/fetcher.ts';
import { guardedLookup, isPublicAddress, NotPublic } from './public-address.ts';

/** Connections to one target at a time; further requests wait for one of them. */
const CONNECTIONS = 256;
/** A connection kept longer may be closed by the target just when it is used, and there may be no second attempt. */
const KEPT_MS = 1_000;

export interface ForwardOptions {
  /** Whether addresses that are not public are refused. */
  readonly guarded: boolean;
  /** How names are resolved, the system's way where not said. */
  readonly lookup?: LookupFunction;
  readonly attemptMs?: number;
}

/** Sends requests and reads the beginning of what is answered. */
export class ForwardAgent {
  readonly #agent: Agent;
  readonly #attemptMs: number;

  constructor({ guarded, lookup, attemptMs = ATTEMPT_MS }: ForwardOptions) {
    this.#attemptMs = attemptMs;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
      // The deadline below is for all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: guarded ? guardedConnector(lookup) : { timeout: ATTEMPT_MS },
    });
  }

  async send(request: OutgoingRequest): Promise<Outcome> {
    const deadline = new Deadline(this.#attemptMs, request.signal);
    const body = new OutgoingBody(request.body);
    try {
      const answer = await this.#agent.request({
        ...request.target,
        // Any token is a method (RFC 9110 9.1); undici's type names some.
        method: request.method as Dispatcher.HttpMethod,
        headers: [
          ...request.headers.filter(([name]) => name.toLowerCase() !== 'content-length'),
          ...body.framing,
        ].flat(),
        body: body.content,
        signal: deadline.signal,
      });
      return { kind: 'answered', status: answer.statusCode, beginning: await beginningOf(answer.body) };
    } catch (error) {
      if (body.failure !== null) throw body.failure.error;
      return outcomeOf(error, deadline);
    } finally {
      deadline.end();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

async function beginningOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      sizeBytes += chunk.length;
      // Leaving the loop ends the answer, and its connection.
      if (sizeBytes >= KEPT_BYTES) break;
    }
  } catch {
    // The status is what the target made of it; an answer that breaks off, or never ends, is kept as far as it came.
  }
  return Buffer.concat(chunks).subarray(0, KEPT_BYTES);
}

function outcomeOf(error: unknown, deadline: Deadline): Outcome {
  const cause = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (cause instanceof NotPublic) return { kind: 'refused', error: cause.message };
  if (cause instanceof errors.InvalidArgumentError || cause instanceof errors.NotSupportedError) {
    return { kind: 'refused', error: `the request can't be sent on: ${cause.message}` };
  }
  if (deadline.passed) return { kind: 'unreachable', error: `no answer within ${deadline.seconds} seconds` };
  return { kind: 'unreachable', error: cause instanceof Error ? cause.message : 'the connection failed' };
}

/** Addresses are looked at where a name is resolved for the connection, where they stand for themselves, and once connected. */
function guardedConnector(lookup?: LookupFunction): buildConnector.connector {
  const connect = buildConnector({ timeout: ATTEMPT_MS, lookup: guardedLookup(lookup) });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isPublicAddress(host)) return callback(new NotPublic(), null);
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new NotPublic(), null);
    });
  };
}

class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #ms: number;
  readonly #outer: AbortSignal | undefined;
  readonly #abort = (): void => this.#controller.abort();
  passed = false;

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.#ms = ms;
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      this.passed = true;
      this.#abort();
    }, ms);
    outer?.addEventListener('abort', this.#abort, { once: true });
    if (outer?.aborted) this.#abort();
  }

  get seconds(): number {
    return this.#ms / 1_000;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#abort);
  }
}

/** What undici is given to send. It tells a body that could not be read from a target that could not be reached. */
class OutgoingBody {
  readonly content: Uint8Array | Readable | null;
  /** undici counts the bytes it has in hand; any others would go in chunks. */
  readonly framing: Headers;
  failure: { readonly error: unknown } | null = null;

  constructor(body: OutgoingRequest['body']) {
    const isStream = body !== null && 'open' in body;
    this.content = isStream ? Readable.from(this.#watched(body.open()), { objectMode: false }) : body;
    this.framing = isStream ? [['Content-Length', String(body.sizeBytes)]] : [];
  }

  async *#watched(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    try {
      yield* source;
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }
}
