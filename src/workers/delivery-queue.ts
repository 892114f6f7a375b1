import { comparableAddress } from '../domain/address.ts';
import type { Lane } from '../domain/delivery.ts';
import type { SendId } from '../domain/ids.ts';
import type { Send, SendRecipient } from '../domain/send.ts';

/** One recipient of one send that waits for delivery. */
export interface Waiting {
  readonly sendId: SendId;
  readonly address: string;
  readonly lane: Lane;
  /** Those who wait for the same recipient of the same workspace: only the first of a line is attempted. */
  readonly line: string;
  /** Milliseconds of real time. */
  readonly dueAt: number;
}

/**
 * Who is to be attempted next. Mail to one recipient is delivered in the order it was accepted, so an earlier send in
 * backoff holds later ones back; other recipients go on. Nothing here knows the time: `due` is told what is due.
 */
export class DeliveryQueue {
  readonly #lines = new Map<string, Waiting[]>();
  readonly #due: Readonly<Record<Lane, Map<SendId, Waiting[]>>> = { here: new Map(), relay: new Map() };

  /** Everyone of the send who waits joins the end of a line; those who are the first of theirs. */
  join(send: Send, laneOf: (address: string) => Lane): Waiting[] {
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

  /** Each is the first of its line, and its time has come. */
  due(firsts: readonly Waiting[]): void {
    for (const waiting of firsts) {
      const due = this.#due[waiting.lane];
      const together = due.get(waiting.sendId);
      if (together === undefined) due.set(waiting.sendId, [waiting]);
      else together.push(waiting);
    }
  }

  /** Those of one send who are due in a lane, to be attempted together; null where nobody is. */
  take(lane: Lane): Waiting[] | null {
    const [next] = this.#due[lane];
    if (next === undefined) return null;
    this.#due[lane].delete(next[0]);
    return next[1];
  }

  /** Nothing more is to be done for it: who is now the first of the line, if anybody. */
  leave({ line }: Waiting): Waiting[] {
    const waiting = this.#lines.get(line) ?? [];
    waiting.shift();
    if (waiting.length === 0) this.#lines.delete(line);
    return waiting.slice(0, 1);
  }

  /** The first of the line stays that, until `dueAt`. */
  stay(waiting: Waiting, dueAt: number): Waiting {
    const staying = { ...waiting, dueAt };
    this.#lines.get(waiting.line)?.splice(0, 1, staying);
    return staying;
  }
}

function waitingOf(send: Send, { address, nextAttemptAt }: SendRecipient, laneOf: (address: string) => Lane): Waiting {
  return {
    sendId: send.id,
    address,
    lane: laneOf(address),
    line: `${send.workspaceId} ${comparableAddress(address)}`,
    dueAt: nextAttemptAt ?? 0,
  };
}
