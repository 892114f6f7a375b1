import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { timeIn } from '../actions/time.ts';
import { uuid7Of } from '../domain/provider.ts';
import { realTime } from '../ports/system.ts';
import type { DoorCall } from './door.ts';

// What handlers of all providers ask of a request.

/** Makes an id. Later ids sort after it. */
export function newUlid({ ctx }: Pick<DoorCall, 'ctx'>): string {
  return ctx.ids.next(realTime(ctx.clock));
}

/** Makes a UUID. Later ones sort after it. */
export function newUuid(call: Pick<DoorCall, 'ctx'>): string {
  return uuid7Of(newUlid(call));
}

/** Makes an id of 32 hexadecimal digits. Later ones sort after it. */
export function newHexId(call: DoorCall): string {
  return newUuid(call).replaceAll('-', '');
}

/** Makes a secret of random bytes, in hexadecimal digits. */
export function newSecret({ ctx }: Pick<DoorCall, 'ctx'>, bytes: number): string {
  return Buffer.from(ctx.random.bytes(bytes)).toString('hex');
}

/** Returns an id of hexadecimal digits that a text always has. */
export function idOfText(text: string, digits: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, digits);
}

/** Returns the time in the workspace of a request. */
export function nowOf({ ctx, workspaceId }: DoorCall): Promise<number> {
  return timeIn(ctx, ctx.store.read, workspaceId);
}

/** Makes a mail of each, and serves other requests between them, because a request may have a thousand. */
export async function oneByOne<From, To>(given: readonly From[], make: (one: From) => To | Promise<To>): Promise<To[]> {
  const made: To[] = [];
  for (const one of given) {
    if (made.length > 0) await setImmediate();
    made.push(await make(one));
  }
  return made;
}
