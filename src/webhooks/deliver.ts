import { delayAfter, isSuccess, type SenderAnswer } from './senders.ts';
import type { SignedWebhook } from './signed-webhook.ts';

// This module delivers one webhook: a first try, and the retries that its service would make. Time, waiting and HTTP
// are ports, because the server, the client and the command line each have their own.

/** The outcome of one request. */
export interface DeliveryReply extends SenderAnswer {
  /** The reason in plain words if there was no answer; else null. */
  readonly error: string | null;
  /** The beginning of the body of the answer. */
  readonly beginning: Uint8Array;
}

/** A request to send. */
export interface DeliveryRequest {
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** The ports of a delivery. */
export interface DeliveryPorts {
  /** The clock that the pauses follow, in milliseconds since 1970. A test may have shifted it. */
  now(): number | Promise<number>;
  /** The real time in milliseconds since 1970. Signatures carry it, and receivers check it. */
  realNow(): number;
  /** A monotonic reading in milliseconds. */
  steady(): number;
  /** Sends a request once. It rejects only if the delivery is cancelled. */
  post(request: DeliveryRequest): Promise<DeliveryReply>;
  /** Waits until the clock reaches a time. Resolves with false if there is no time left to wait. */
  until(time: number): Promise<boolean>;
  /** Gets each try, before the pause that follows it. */
  tried?(one: Try): Promise<void> | void;
}

/** One try to deliver a webhook. */
export interface Try {
  /** The number of the try, 1 for the first. */
  readonly number: number;
  /** The time of the try by the clock that pauses follow. */
  readonly at: Date;
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
  /** The reason in plain words if there was no answer; else null. */
  readonly error: string | null;
  /** The time until the answer, in milliseconds. */
  readonly durationMs: number;
  /** The header fields as sent. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The first 4 KiB of the answer as text. */
  readonly answer: string;
  /** The time of the next try, by the clock that pauses follow; null if there is none. */
  readonly nextAt: Date | null;
}

/** The end of a delivery. */
export interface DeliveryResult {
  /** `unfinished` if a try was still to come when the time to wait ran out. */
  readonly state: 'delivered' | 'failed' | 'unfinished';
  readonly tries: readonly Try[];
}

const SHOWN_BYTES = 4 * 1024;

/** Delivers a webhook with the retries of its service. */
export async function deliver(signed: SignedWebhook, ports: DeliveryPorts): Promise<DeliveryResult> {
  const tries: Try[] = [];
  let last: DeliveryReply | null = null;
  for (let number = 1; ; number++) {
    const at = await ports.now();
    const headers = signed.headersOf(number, ports.realNow(), last);
    const start = ports.steady();
    const { timeoutMs } = signed.sender;
    last = await ports.post({ method: 'POST', headers, body: signed.body, timeoutMs });
    const durationMs = Math.round(ports.steady() - start);
    const isOver = isSuccess(last.status);
    const delay = isOver ? null : delayAfter(signed.sender, number, last, signed.retries);
    const nextAt = delay === null ? null : (await ports.now()) + delay;
    const one: Try = {
      number,
      at: new Date(at),
      status: last.status,
      error: last.error,
      durationMs,
      headers,
      answer: new TextDecoder().decode(last.beginning.subarray(0, SHOWN_BYTES)),
      nextAt: nextAt === null ? null : new Date(nextAt),
    };
    tries.push(one);
    await ports.tried?.(one);
    if (nextAt === null) return { state: isOver ? 'delivered' : 'failed', tries };
    if (!(await ports.until(nextAt))) return { state: 'unfinished', tries };
  }
}
