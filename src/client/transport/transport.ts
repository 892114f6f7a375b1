import type { Server } from '../connection/server.ts';
import { chance, now, sleep, uniqueKey } from '../environment.ts';
import { MailcapError, NoServerError, type RefusedError, TimeoutError } from '../errors.ts';
import type { Settings } from '../options/options.ts';
import type { Call, Reply } from './call.ts';
import { Deadline } from './deadline.ts';
import { refusalOf } from './refusal.ts';

/** Pauses before what failed for want of a connection is tried again, milliseconds; each up to twice as long. */
const PAUSES_MS = [50, 150, 300];
/** Before a server that was there is given up by who only reads: it may be starting anew. */
const RESTART_PAUSES_MS = [...PAUSES_MS, 500, 500, 1_000, 1_000, 1_000];

/** Takes calls to the server. Throws what went wrong as a MailcapError, and the reason of a signal that aborts. */
export class Transport {
  readonly settings: Settings;
  readonly #locate: () => Promise<Server>;
  #paceMs = 0;
  #wasReached = false;

  constructor(settings: Settings, locate: () => Promise<Server>) {
    this.settings = settings;
    this.#locate = locate;
  }

  /** Milliseconds between calls that would spread what is left of the rate limit over its window. */
  get paceMs(): number {
    return this.#paceMs;
  }

  /** The answer to a call, whatever its status below 400. */
  async send(call: Call): Promise<Reply> {
    const { options = {}, heldMs = 0 } = call;
    const { settings } = this;
    const timeoutMs = options.timeout ?? settings.timeoutMs + heldMs;
    const deadline = new Deadline(timeoutMs, [options.signal, settings.signal]);
    try {
      deadline.signal.throwIfAborted();
      return await this.#untilAnswered(call, deadline);
    } catch (error) {
      if (!deadline.isOver || error instanceof MailcapError) throw error;
      throw new TimeoutError('timed_out', `${call.name} got no answer within ${timeoutMs} ms.`, {
        hint: 'The server may be busy or out of reach; `timeout` gives it longer.',
      });
    } finally {
      deadline.dispose();
    }
  }

  async #untilAnswered(call: Call, deadline: Deadline): Promise<Reply> {
    const server = await this.#locate();
    const request = requestOf(call, server);
    const mayRepeat = isRepeatable(call);
    for (let failures = 0; ; ) {
      let reply: Reply;
      try {
        reply = await this.#once(server.url, request, deadline.signal);
      } catch (error) {
        if (deadline.signal.aborted) throw error;
        const pauses = this.#wasReached && call.method === 'GET' ? RESTART_PAUSES_MS : PAUSES_MS;
        const pause = pauses[failures++];
        if (!mayRepeat || pause === undefined) throw unreachable(call, server, error);
        await sleep(pause * (1 + chance()), deadline.signal);
        continue;
      }
      if (reply.status < 400) return reply;
      // It was there when first asked, and that answer was lost.
      if (reply.status === 404 && call.method === 'DELETE' && failures > 0) return { ...reply, status: 204 };
      const refusal = refusalOf(call, reply);
      // Nothing was run. It goes away, and another may come in its place: as where there is no connection.
      const pauseMsAtStop = refusal.code === 'shutting_down' ? RESTART_PAUSES_MS[failures++] : undefined;
      if (pauseMsAtStop !== undefined) {
        await sleep(pauseMsAtStop * (1 + chance()), deadline.signal);
        continue;
      }
      const pauseMs = pauseAfter(refusal, reply.headers);
      if (pauseMs === null || pauseMs > deadline.leftMs) throw refusal;
      await sleep(pauseMs, deadline.signal);
    }
  }

  async #once(url: string, { path, init }: Request, signal: AbortSignal): Promise<Reply> {
    const response = await this.settings.fetch(url + path, { ...init, signal });
    this.#wasReached = true;
    this.#paceMs = paceOf(response.headers) ?? this.#paceMs;
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes };
  }
}

interface Request {
  readonly path: string;
  readonly init: RequestInit;
}

function requestOf(call: Call, server: Server): Request {
  const { method, json, body } = call;
  const headers = new Headers({ Accept: 'application/json' });
  const token = isCloud(call) ? keyOf(server) : server.adminToken;
  if (token !== null) headers.set('Authorization', `Bearer ${token}`);
  if (json !== undefined) headers.set('Content-Type', 'application/json');
  if (body !== undefined) headers.set('Content-Type', 'message/rfc822');
  // One key for all attempts: whichever of them the server gets first is the only one that runs.
  if (method === 'POST' && isCloud(call)) headers.set('Idempotency-Key', uniqueKey());
  // Bytes are sent as they are; only their type says less than fetch's does.
  const content = json === undefined ? (body as RequestInit['body']) : JSON.stringify(json);
  const init = { method, headers, ...(content === undefined ? {} : { body: content }) };
  return { path: call.path + queryOf(call.query ?? {}), init };
}

function isCloud({ path }: Call): boolean {
  return path.startsWith('/v1/');
}

function keyOf({ apiKey, url }: Server): string {
  if (apiKey !== null) return apiKey;
  throw new MailcapError('no_api_key', `There is no API key for ${url}.`, {
    hint: 'Set MAILCAP_API_KEY, or give createClient an apiKey.',
  });
}

/** A POST of the local API runs as often as it arrives, but for the one that leaves the same behind. */
function isRepeatable(call: Call): boolean {
  return call.method !== 'POST' || isCloud(call) || call.path === '/_mailcap/reset';
}

function queryOf(query: Readonly<Record<string, string | number | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, `${value}`);
  return given.size === 0 ? '' : `?${given}`;
}

/** Where a 429 does not say how long. */
const PAUSE_MS = 1_000;
const SHORTEST_PAUSE_MS = 50;

/**
 * Milliseconds until a limited call may be tried again: seconds or a date (RFC 9110 10.2.3). Null for what no wait mends: another refusal,
 * or a limit of the day, which names no time.
 */
function pauseAfter({ status, code }: RefusedError, headers: Headers): number | null {
  if (status !== 429) return null;
  const after = headers.get('retry-after');
  if (after === null) return code === 'rate_limited' || code === 'unexpected_answer' ? PAUSE_MS : null;
  // A date is by the clock of who sent it.
  const sentAt = Date.parse(headers.get('date') ?? '') || now();
  const pauseMs = /^\s*[\d.]+\s*$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - sentAt;
  return Number.isNaN(pauseMs) ? PAUSE_MS : Math.max(SHORTEST_PAUSE_MS, pauseMs);
}

/** What a connection that never came about fails with; with any other the call may have been there. */
const NEVER_THERE = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

function unreachable(call: Call, { url }: Server, cause: unknown): NoServerError {
  if (!isRepeatable(call) && !NEVER_THERE.includes(codeOf(cause)))
    return new NoServerError(
      'unreachable',
      `${call.name} was sent to ${url}, and its answer was lost: ${reasonOf(cause)}.`,
      {
        hint: 'It may have run, so it was not tried again: look before you do. Is the server still running?',
        cause,
      },
    );
  return new NoServerError('unreachable', `${call.name} did not reach ${url}: ${reasonOf(cause)}.`, {
    hint: 'Is the server running? `npx mailcap dev` starts one.',
    cause,
  });
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** fetch says "fetch failed", and why in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return cause.message || ('code' in cause ? String(cause.code) : error.message);
}

/** Null where the headers tell nothing. */
function paceOf(headers: Headers): number | null {
  const [remaining, reset] = [headers.get('ratelimit-remaining'), headers.get('ratelimit-reset')];
  if (remaining === null || reset === null) return null;
  return (Number(reset) * 1_000) / Math.max(1, Number(remaining)) || 0;
}
