import { z } from 'zod';
import type { Message } from '../../domain/message.ts';
import { MessageSummaryResponse, toMessageSummaryResponse } from '../schemas.ts';

/** A message found by a search, with its mailbox. */
export const FoundMessage = MessageSummaryResponse.extend({
  id: z.string(),
  mailboxId: z.string(),
  workspaceId: z.string(),
});

export const SearchResponse = z.object({
  items: z.array(FoundMessage).describe('Newest first'),
  total: z.int().describe('Across all pages'),
  complete: z.boolean().describe('false: the search ended after it had read 10,000 mails, so total may be too small'),
  next: z.string().nullable().describe('The parameter before of the next page; null if there is none'),
});

/** The result of a search. The client derives its types from it, so it must use no internal type of the server. */
interface Found {
  readonly items: readonly Message[];
  readonly total: number;
  readonly complete: boolean;
  readonly next: string | null;
}

export function toSearchResponse({ items, total, complete, next }: Found): z.infer<typeof SearchResponse> {
  const found = items.map((message) => {
    const { id, mailboxId, workspaceId } = message;
    return { ...toMessageSummaryResponse(message), id, mailboxId, workspaceId };
  });
  return { items: found, total, complete, next };
}

export const DeletedResponse = z.object({ deleted: z.int().describe('The number of deleted messages') });
