import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { Agent, buildConnector, type Dispatcher, errors } from 'undici';
import { ATTEMPT_MS, type ForwardOutcome, type Headers, KEPT_BYTES } from '../domain/forwarding.ts';
import type { OutgoingRequest } from '../ports/fetcher.ts';
import { beginningOf, joinedHeaders } from '../webhooks/answer.ts';
import { boundedAnswers } from './bounded-answers.ts';
import { decodedAnswer } from './decoded-answer.ts';
import { guardedLookup, isPublicAddress, NotPublic } from './public-address.ts';

/** The number of connections to one target. Further requests wait. */
const CONNECTIONS = 256;
/**
 * The idle time in milliseconds after which a connection is closed. A longer one risks that the target closes it just
 * as a request is sent.
 */
const KEPT_MS = 1_000;
/** The largest answer in bytes: the part that is kept in chunks of one byte, which take six, with head and trailers. */
const ANSWER_BYTES = 8 * KEPT_BYTES;

export interface ForwardOptions {
  /** Tells whether to refuse addresses that are not public. */
  readonly guarded: boolean;
  /** The DNS lookup. The default is the system's. */
  readonly lookup?: LookupFunction;
  readonly attemptMs?: number;
}

/** Sends requests and reads the first bytes of the answers. */
export class ForwardAgent {
  readonly #agent: Agent;
  readonly #attemptMs: number;

  constructor({ guarded, lookup, attemptMs = ATTEMPT_MS }: ForwardOptions) {
    this.#attemptMs = attemptMs;
    this.#agent = new Agent({
      connections: CONNECTIONS,
      keepAliveTimeout: KEPT_MS,
      keepAliveMaxTimeout: KEPT_MS,
      // The deadline in `send` covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: boundedAnswers(
        guarded ? guardedConnector(lookup) : buildConnector({ timeout: ATTEMPT_MS }),
        () => ANSWER_BYTES,
      ),
    });
  }

  async send(request: OutgoingRequest): Promise<ForwardOutcome> {
    const timeout = new AttemptTimeout(this.#attemptMs, request.signal);
    const body = new OutgoingBody(request.body);
    try {
      const answer = await this.#agent.request({
        ...request.target,
        // Any token is a valid method (RFC 9110 9.1), but undici's type lists only some.
        method: request.method as Dispatcher.HttpMethod,
        headers: [
          ...request.headers.filter(([name]) => name.toLowerCase() !== 'content-length'),
          ...body.framing,
        ].flat(),
        body: body.content,
        signal: timeout.signal,
      });
      const { statusCode: status } = answer;
      const headers = joinedHeaders(answer.headers);
      const sent = await beginningOf(answer.body, KEPT_BYTES);
      const beginning = await decodedAnswer(sent, headers['content-encoding'], KEPT_BYTES);
      return { kind: 'answered', status, beginning, headers };
    } catch (error) {
      if (body.failure !== null) throw body.failure.error;
      return outcomeOf(error, timeout);
    } finally {
      timeout.end();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function outcomeOf(error: unknown, timeout: AttemptTimeout): ForwardOutcome {
  const cause = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (cause instanceof NotPublic) return { kind: 'refused', error: cause.message };
  if (cause instanceof errors.InvalidArgumentError || cause instanceof errors.NotSupportedError) {
    return { kind: 'refused', error: `the request can't be sent on: ${cause.message}` };
  }
  if (timeout.passed) return { kind: 'unreachable', error: `no answer within ${timeout.seconds} seconds` };
  return { kind: 'unreachable', error: cause instanceof Error ? cause.message : 'the connection failed' };
}

/**
 * Creates a connector that refuses addresses that are not public. It checks literal addresses, resolved names, and the
 * connected peer.
 */
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

/**
 * Limits the time of one attempt. `AbortSignal.any` would need one line, but in Node 20 it leaks memory if a source
 * signal lives longer than the result.
 */
class AttemptTimeout {
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

/**
 * The body for undici. It records a read error, so that an unreadable body can be distinguished from an unreachable
 * target.
 */
class OutgoingBody {
  readonly content: Uint8Array | Readable | null;
  /** The Content-Length of a stream. undici counts a buffer itself and would send a stream chunked. */
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
