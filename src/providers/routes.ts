import type { Reader, Tx } from '../ports/store.ts';
import type { DoorAnswer, DoorCall, DoorRoute } from './door.ts';

// The routes of a provider: what reads records, what changes records, and what sends.

/** Returns a route that answers 200 with what `read` returns. */
export function getRoute(path: string, read: (call: DoorCall, reader: Reader) => unknown): DoorRoute {
  return { method: 'GET', path, handle: async (call) => okAnswer(await read(call, await call.ctx.store.readNow())) };
}

/** Returns a route that answers by itself, as those do that send mails. */
export function postRoute(path: string, handle: (call: DoorCall) => Promise<DoorAnswer>): DoorRoute {
  return { method: 'POST', path, handle };
}

/** Returns a route that changes records in one transaction. It answers with a status, and with what `run` returns. */
export function changeRoute(
  method: Exclude<DoorRoute['method'], 'GET'>,
  path: string,
  status: number,
  run: (call: DoorCall, tx: Tx) => Promise<unknown>,
): DoorRoute {
  return { method, path, handle: (call) => call.once(async (tx) => ({ status, body: await run(call, tx) })) };
}

/** Writes an answer with a body. */
export function okAnswer(body: unknown, status = 200): DoorAnswer {
  return { status, body };
}

/** Returns the page of a list that a request asks for by two parameters: where it starts, and how much it has. */
export function pageIn<T>(
  { query }: DoorCall,
  all: readonly T[],
  { offset, count, usual, most }: { offset: string; count: string; usual: number; most: number },
): T[] {
  const start = Number(query.get(offset) ?? 0) || 0;
  return all.slice(start, start + Math.min(Number(query.get(count) ?? usual) || 0, most));
}
