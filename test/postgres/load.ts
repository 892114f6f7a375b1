import { expect, vi } from 'vitest';
import type { Served } from '../faults/served.ts';
import { measured, type Sender, senderTo } from './servers.ts';

/** The mails that each fault has to survive. By night it is the size that the guarantees name. */
export const MAILS = Number(process.env['MAILCAP_FAULT_MAILS'] ?? 0);
/** The options of a test that loads servers. */
export const UNDER_LOAD = { timeout: MAILS > 0 ? 900_000 : 180_000 };

/** By day senders pause after each mail: what a fault meets is mail on its way, and twelve senders always have some. */
const PAUSE_MS = MAILS > 0 ? 0 : 100;
const PAUSE_REFUSED_MS = MAILS > 0 ? 10 : 50;
/** The mails that are acknowledged before the fault. */
const FIRST = MAILS > 0 ? 100 : 30;

/** The outcome of each mail that was sent, by its subject. */
export interface Outcomes {
  readonly acknowledged: Set<string>;
  readonly refused: Set<string>;
  /** The connection broke before the answer, so nobody can know. */
  readonly unknown: Set<string>;
  /** The replies to those that were refused. */
  readonly replies: Set<string>;
}

/** Sends mail one after the other until `isOver`. */
async function load(sender: Sender, name: string, outcomes: Outcomes, isOver: () => boolean): Promise<void> {
  for (let i = 0; !isOver(); i++) {
    const subject = `${name}-${i}`;
    try {
      await sender.send(subject);
      outcomes.acknowledged.add(subject);
      if (PAUSE_MS > 0) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } catch (error) {
      const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : 0;
      if (code >= 400) {
        outcomes.refused.add(subject);
        if (error instanceof Error && 'response' in error) outcomes.replies.add(String(error.response));
      } else outcomes.unknown.add(subject);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_REFUSED_MS));
    }
  }
}

/** Loads servers from six senders each, and runs `fault` under the load. */
export async function under(
  servers: readonly Served[],
  fault: (outcomes: Outcomes) => Promise<void>,
): Promise<Outcomes> {
  const outcomes: Outcomes = { acknowledged: new Set(), refused: new Set(), unknown: new Set(), replies: new Set() };
  let over = false;
  const loads = servers.flatMap((server, at) =>
    Array.from({ length: 6 }, (_, i) => load(senderTo(server, 1), `s${at}-${i}`, outcomes, () => over)),
  );
  try {
    await vi.waitFor(() => expect(outcomes.acknowledged.size).toBeGreaterThan(FIRST), { timeout: 20_000 });
    await fault(outcomes);
    await vi.waitFor(() => expect(outcomes.acknowledged.size).toBeGreaterThanOrEqual(MAILS), { timeout: 600_000 });
  } finally {
    over = true;
    await Promise.all(loads);
  }
  return outcomes;
}

/** Waits until that many more mails are acknowledged. */
export function moreThan({ acknowledged }: Outcomes, count: number): Promise<void> {
  const from = acknowledged.size;
  return vi.waitFor(() => expect(acknowledged.size).toBeGreaterThan(from + count), { timeout: 60_000 });
}

/** Expects that everything acknowledged is stored once, and nothing that was refused. */
export async function expectTruth(server: Served, outcomes: Outcomes, what: string): Promise<void> {
  const { acknowledged, refused, unknown } = outcomes;
  const stored = (await server.messages()).map(({ subject }) => subject);
  const there = new Set(stored);
  const missing = [...acknowledged].filter((subject) => !there.has(subject));
  const present = [...refused].filter((subject) => there.has(subject));
  const counts = `${acknowledged.size} acknowledged, ${refused.size} refused, ${unknown.size} without an answer`;
  measured(`${what}: ${counts}; ${missing.length} missing, ${present.length} present that were refused`);
  expect({ missing, present }).toEqual({ missing: [], present: [] });
  expect(stored).toHaveLength(there.size);
}
