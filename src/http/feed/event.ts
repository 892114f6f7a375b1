import { type FeedItem, feedIdOf, type RecordedEvent } from '../../domain/event.ts';
import { writeTime } from '../../domain/time.ts';
import type { Encoder } from '../../ports/events.ts';
import type { AnswerOf } from '../answers.ts';
import { toMarkedSummary } from '../local/marks.ts';
import type { EventResponse } from '../local/schemas.ts';
import { toForwardStatus, toWebhookRequestSummary } from '../webhooks.ts';

// This module encodes the events of docs/feed.md: {"id","type","at","workspaceId","data"}.

type FeedEvent = Omit<AnswerOf<typeof EventResponse>, 'data'> & { readonly data: object };

/** Each event is a WebSocket frame. */
export const FRAMES: Encoder = {
  encode: (item) => textFrame(JSON.stringify(toEventResponse(item))),
};

/** The events of a batch are one WebSocket frame with a list. */
export const LISTS: Encoder = {
  encode: (item) => Buffer.from(JSON.stringify(toEventResponse(item))),
  pack: listFrame,
};

/** Each event is a line of JSON. */
export const LINES: Encoder = {
  encode: (item) => Buffer.from(`${JSON.stringify(toEventResponse(item))}\n`),
};

export function toEventResponse(item: FeedItem): FeedEvent {
  const id = feedIdOf(item);
  switch (item.kind) {
    case 'message': {
      const { mailboxId, workspaceId, receivedAt } = item.message;
      const data = { mailboxId, ...toMarkedSummary(item.message) };
      return { id, type: 'message.received', at: writeTime(receivedAt), workspaceId, data };
    }
    case 'request': {
      const { webhookId, workspaceId, receivedAt } = item.request;
      const data = { webhookId, ...toWebhookRequestSummary(item.request) };
      return { id, type: 'webhook.captured', at: writeTime(receivedAt), workspaceId, data };
    }
    case 'event': {
      const { type, at, workspaceId } = item.event;
      return { id, type, at: writeTime(at), workspaceId, data: dataOf(item.event) };
    }
  }
}

function dataOf(event: RecordedEvent): object {
  if (event.type !== 'webhook.forwarded') return event.data;
  return { ...event.data, forwardStatus: toForwardStatus(event.data.forwardStatus) };
}

/**
 * The first byte of a final text frame (RFC 6455 section 5.2). A server does not mask, so all subscribers can share one
 * frame.
 */
const TEXT = 0x81;
/** The bytes of `[`, `,` and `]`. */
const OPENING = 0x5b;
const COMMA = 0x2c;
const CLOSING = 0x5d;

/** Returns a text as a WebSocket frame of a server. */
export function textFrame(text: string): Buffer {
  const [frame, head] = emptyFrame(Buffer.byteLength(text));
  frame.write(text, head);
  return frame;
}

/** Returns JSON texts, at least one, as a WebSocket frame of a server: a list of them. */
export function listFrame(items: readonly Buffer[]): Buffer {
  const size = items.reduce((sum, { length }) => sum + length + 1, 1);
  const [frame, head] = emptyFrame(size);
  let at = head;
  for (const item of items) {
    frame[at] = at === head ? OPENING : COMMA;
    item.copy(frame, at + 1);
    at += 1 + item.length;
  }
  frame[at] = CLOSING;
  return frame;
}

/** Returns a text frame of a size without its text, and the position of the text in it. */
function emptyFrame(size: number): [frame: Buffer, head: number] {
  const head = size < 126 ? 2 : size < 0x1_0000 ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + size);
  frame[0] = TEXT;
  if (head === 2) {
    frame[1] = size;
  } else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(size, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(size), 2);
  }
  return [frame, head];
}
