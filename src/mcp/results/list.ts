import type { MessageSummaryResponse } from '../../client/index.ts';
import { defusedLine, fence } from '../../text/fence.ts';

/** A list of messages: their ids as data, and a line for each inside one fence. */
export interface ListResult {
  readonly messages: { readonly message_id: string; readonly received_at: string }[];
  readonly more: boolean;
  readonly content: string;
}

/** Describes messages for a language model, newest first. `more` tells whether there are others. */
export function listResult(messages: readonly MessageSummaryResponse[], more: boolean, fenceId: string): ListResult {
  const lines = messages.map(
    ({ from, to, subject }, at) =>
      `${at + 1}. ${defusedLine(subject || '(no subject)', 70)}, from ${defusedLine(from ?? '', 50)}, to ${defusedLine(to ?? '', 40)}`,
  );
  return {
    messages: messages.map(({ id, receivedAt }) => ({ message_id: id, received_at: receivedAt })),
    more,
    content: lines.length === 0 ? '' : fence(fenceId, lines),
  };
}
