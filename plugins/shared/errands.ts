import type { Client } from '../../src/client/index.ts';

/** The background tasks of each client. */
const errands = new WeakMap<Client, Set<Promise<void>>>();

/**
 * Runs a task in the background, so that the next test can start. It ignores a failure, because the task only cleans up
 * a workspace that is deleted when the worker closes. The worker waits for the task before it closes.
 */
export function beside(client: Client, errand: Promise<void>): void {
  const pending = errands.get(client) ?? new Set();
  errands.set(client, pending);
  const done = errand.catch(() => {}).finally(() => pending.delete(done));
  pending.add(done);
}

/** Waits until all background tasks of a client are done. */
export async function errandsOf(client: Client): Promise<void> {
  await Promise.all(errands.get(client) ?? []);
}
