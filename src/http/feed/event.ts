import { type FeedItem, feedIdOf, type RecordedEvent } from '../../domain/event.ts';
import { writeTime } from '../../domain/time.ts';
import { toMessageSummaryResponse } from '../schemas.ts';
import { toForwardStatus, toWebhookRequestSummary } from '../webhook-schemas.ts';
import { textFrame } from './frame.ts';

// This module encodes the events of docs/feed.md: {"id","type","at","workspaceId","data"}.

interface EventResponse {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  /** The id of the workspace; null if the event concerns all workspaces. */
  readonly workspaceId: string | null;
  readonly data: object;
}

/** Returns an event as a WebSocket frame. */
export function encodeEvent(item: FeedItem): Buffer {
  return textFrame(JSON.stringify(toEventResponse(item)));
}

/** Returns an event as JSON. */
export function encodeJson(item: FeedItem): Buffer {
  return Buffer.from(JSON.stringify(toEventResponse(item)));
}

/** Returns an event as a line of JSON. */
export function encodeLine(item: FeedItem): Buffer {
  return Buffer.from(`${JSON.stringify(toEventResponse(item))}\n`);
}

export function toEventResponse(item: FeedItem): EventResponse {
  const id = feedIdOf(item);
  switch (item.kind) {
    case 'message': {
      const { mailboxId, workspaceId, receivedAt } = item.message;
      const data = { mailboxId, ...toMessageSummaryResponse(item.message) };
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
