import { comparableAddress } from '../domain/address.ts';
import type { Lane } from '../domain/delivery.ts';
import type { SendId } from '../domain/ids.ts';
import type { Send, SendRecipient } from '../domain/send.ts';

/** One recipient of one send that waits for delivery. */
export interface WaitingRecipient {
  readonly sendId: SendId;
  readonly address: string;
  readonly lane: Lane;
  /**
   * The key of the entry's line. A line is the queue of one recipient of one workspace; only its first entry is
   * attempted.
   */
  readonly line: string;
  /** The time of the next attempt, in milliseconds of real time. */
  readonly dueAt: number;
}

/**
 * Decides which recipients to attempt next. Mail to one recipient is delivered in the order of acceptance, so a send in
 * backoff delays only later sends to the same recipient. The queue has no clock: the caller reports with `due` which
 * entries are due.
 */
export class DeliveryQueue {
  readonly #lines = new Map<string, WaitingRecipient[]>();
  readonly #due: Readonly<Record<Lane, Map<SendId, WaitingRecipient[]>>> = { here: new Map(), relay: new Map() };

  /** Adds the queued recipients of a send to their lines. Returns the entries that are now first in their line. */
  join(send: Send, laneOf: (address: string) => Lane): WaitingRecipient[] {
    return send.recipients
      .filter(({ state }) => state === 'queued')
      .flatMap((recipient) => {
        const waiting = waitingOf(send, recipient, laneOf);
        const line = this.#lines.get(waiting.line);
        if (line === undefined) this.#lines.set(waiting.line, [waiting]);
        else line.push(waiting);
        return line === undefined ? [waiting] : [];
      });
  }

  /** Marks entries as due. Each must be the first of its line. */
  due(firsts: readonly WaitingRecipient[]): void {
    for (const waiting of firsts) {
      const due = this.#due[waiting.lane];
      const together = due.get(waiting.sendId);
      if (together === undefined) due.set(waiting.sendId, [waiting]);
      else together.push(waiting);
    }
  }

  /** Takes the due recipients of one send in a lane, for one attempt. Returns null if none is due. */
  take(lane: Lane): WaitingRecipient[] | null {
    const [next] = this.#due[lane];
    if (next === undefined) return null;
    this.#due[lane].delete(next[0]);
    return next[1];
  }

  /** Removes a finished entry. Returns the new first entry of its line, if any. */
  leave({ line }: WaitingRecipient): WaitingRecipient[] {
    const waiting = this.#lines.get(line) ?? [];
    waiting.shift();
    if (waiting.length === 0) this.#lines.delete(line);
    return waiting.slice(0, 1);
  }

  /** Keeps the entry first in its line until `dueAt`, and returns it with that time. */
  stay(waiting: WaitingRecipient, dueAt: number): WaitingRecipient {
    const staying = { ...waiting, dueAt };
    this.#lines.get(waiting.line)?.splice(0, 1, staying);
    return staying;
  }
}

function waitingOf(
  send: Send,
  { address, nextAttemptAt }: SendRecipient,
  laneOf: (address: string) => Lane,
): WaitingRecipient {
  return {
    sendId: send.id,
    address,
    lane: laneOf(address),
    line: `${send.workspaceId} ${comparableAddress(address)}`,
    dueAt: nextAttemptAt ?? 0,
  };
}
