import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { type EventType, type FeedItem, feedIdOf } from '../../domain/event.ts';
import type { EventId, WorkspaceId } from '../../domain/ids.ts';
import type { EventSink, Subscription } from '../../ports/events.ts';
import { momentNow } from '../../ports/system.ts';
import { Download, type Exchange } from '../exchange.ts';
import { textFrame } from '../feed/event.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import { seededWorkspaceId } from './shared.ts';

/** Refuses a request without a handshake at the path of a socket. src/http/feed/handshake.ts answers those with one. */
export function upgradeRoute(path: string): Endpoint<Anyone> {
  return foreignRoute('GET', path, async () => {
    throw refuse('upgrade_required');
  });
}

/** The number of events that are read at a time. */
const AT_A_TIME = 50;
/** The time in milliseconds after which a failed read is repeated. */
const RETRY_MS = 1_000;

/** A WebSocket of another catcher: its path, and the messages that its clients get. */
export interface CompatSocket {
  /** The path. A last segment with a colon is a parameter. */
  readonly path: string;
  /** Starts to write what happens after a position. `param` is the parameter of the path, or ''. */
  subscribe(ctx: Context, sink: EventSink, after: EventId | null, param: string): Subscription;
}

/** What a socket makes of an event of the seeded workspace: JSON values, in their order. */
export type ValuesOf = (item: FeedItem, workspaceId: WorkspaceId) => Promise<readonly unknown[]>;

const encodeFrame = (value: unknown): Buffer => textFrame(JSON.stringify(value));

/**
 * Follows the events of the seeded workspace after a position, one after the other, and writes what `valuesOf` makes of
 * each, as frames of a WebSocket unless `encode` is given. It reads no more while the sink is full.
 */
export function followEvents(
  ctx: Context,
  sink: EventSink,
  after: EventId | null,
  types: ReadonlySet<EventType>,
  valuesOf: ValuesOf,
  encode: (value: unknown) => Buffer = encodeFrame,
): Subscription {
  const { store, clock, log } = ctx;
  let cursor = after;
  let isFull = false;
  let isRunning = false;
  let isWoken = false;
  let isEnded = false;
  let cancelRetry = () => {};

  const readAll = async (): Promise<void> => {
    const workspaceId = await seededWorkspaceId(ctx);
    for (;;) {
      const items = await store.read.events.list({ types, after: cursor, limit: AT_A_TIME, now: momentNow(clock) });
      for (const item of items) {
        const own = workspaceOf(item);
        const values = own === workspaceId || own === null ? await valuesOf(item, workspaceId) : [];
        if (isEnded) return;
        cursor = feedIdOf(item);
        for (const value of values) if (!sink.write(encode(value))) isFull = true;
        if (isFull) return;
      }
      if (items.length < AT_A_TIME) return;
    }
  };
  const run = async (): Promise<void> => {
    isRunning = true;
    try {
      while (isWoken && !isFull && !isEnded) {
        isWoken = false;
        await readAll();
      }
    } catch (error) {
      if (isEnded) return;
      log.warn('events could not be read for a client', { error });
      cancelRetry();
      cancelRetry = clock.after(RETRY_MS, wake);
    } finally {
      isRunning = false;
    }
  };
  const wake = (): void => {
    isWoken = true;
    if (!isRunning) void run();
  };

  const stopListening = store.onCommit(({ feed }) => {
    if (feed) wake();
  });
  wake();
  return {
    resume: () => {
      isFull = false;
      wake();
    },
    end: () => {
      isEnded = true;
      stopListening();
      cancelRetry();
    },
  };
}

/** The time in milliseconds between two signs of life of a stream. */
const KEEP_ALIVE_MS = 60_000;
/** The most streams at once, and the most messages that one holds for a client that reads slowly. */
const MOST_STREAMS = 1_000;
const MOST_HELD = 50;

/** The streams that each server has open. */
const streams = new WeakMap<Context['store'], number>();

/**
 * Follows the events of the seeded workspace from now on as Server-Sent Events, until the client hangs up or the server
 * stops. Throws `too_many_subscribers`.
 */
export async function eventStream(
  ctx: Context,
  exchange: Exchange,
  types: ReadonlySet<EventType>,
  valuesOf: ValuesOf,
): Promise<Download> {
  if ((streams.get(ctx.store) ?? 0) >= MOST_STREAMS) throw refuse('too_many_subscribers', { limit: MOST_STREAMS });
  const after = await ctx.store.read.events.lastId();
  const headers = { 'Content-Type': 'text/event-stream', 'X-Content-Type-Options': 'nosniff' };
  return new Download(headers, null, async function* () {
    const held: Buffer[] = [];
    let wake = () => {};
    const sink: EventSink = {
      write: (bytes) => {
        held.push(bytes);
        wake();
        return held.length < MOST_HELD;
      },
    };
    const encode = (value: unknown) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
    const follower = followEvents(ctx, sink, after, types, valuesOf, encode);
    const ended = exchange.onCancel(() => wake());
    streams.set(ctx.store, (streams.get(ctx.store) ?? 0) + 1);
    try {
      // The first line makes the header of the answer leave.
      yield Buffer.from(':\n\n');
      while (!exchange.isCancelled) {
        if (held.length === 0) {
          const isAlone = await new Promise<boolean>((resolve) => {
            const cancel = ctx.clock.after(KEEP_ALIVE_MS, () => resolve(true));
            wake = () => {
              cancel();
              resolve(false);
            };
          });
          if (isAlone) yield Buffer.from('keepalive:\n\n');
        }
        yield* held.splice(0);
        follower.resume();
      }
    } finally {
      streams.set(ctx.store, (streams.get(ctx.store) ?? 1) - 1);
      ended();
      follower.end();
    }
  });
}

/** Returns the workspace of an event. Null if it concerns all of them. */
function workspaceOf(item: FeedItem): WorkspaceId | null {
  if (item.kind === 'message') return item.message.workspaceId;
  return item.kind === 'request' ? item.request.workspaceId : item.event.workspaceId;
}
