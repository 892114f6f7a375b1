import { z } from 'zod';
import { type MarkResult, markEach, markFound, markMessage } from '../../actions/mark-messages.ts';
import { parseSearch } from '../../actions/search-messages.ts';
import type { Context } from '../../context.ts';
import { refuse } from '../../domain/errors.ts';
import { type MailboxId, type MessageId, parseUlid, type Ulid, type WorkspaceId } from '../../domain/ids.ts';
import { type MarkChange, MOST_TAGS, parseTag } from '../../domain/marks.ts';
import { copyKeyOf, kindOf, MESSAGE_KINDS, type Message } from '../../domain/message.ts';
import { type AnswerOf, anything } from '../answers.ts';
import { checkTimePassed, type Exchange } from '../exchange.ts';
import { anyMessage, localRoute } from '../route.ts';
import { MessageSummaryResponse, toMessageSummaryResponse } from '../schemas.ts';

// The marks of messages (docs/search.md#marks). The cloud API has none, so its schemas stay without them.

/** The marks of a message, as every answer of the local API has them. */
export const MARKS = {
  read: z.boolean(),
  starred: z.boolean(),
  tags: z.array(z.string()).describe('In the order of their names'),
};

export function toMarks({ isRead, isStarred, tags }: Message) {
  return { read: isRead, starred: isStarred, tags };
}

/** What a message is. The cloud API has emails alone, so its schemas stay without it. */
export const KIND_FIELD = {
  kind: z.enum(MESSAGE_KINDS).describe('sms: a text message, whose from and to are numbers'),
};

/** The summary of a message with its kind, its marks, and what tells the copies of one mail. */
export const MarkedSummaryResponse = MessageSummaryResponse.extend({
  id: z.string(),
  ...KIND_FIELD,
  copyKey: z
    .string()
    .describe(
      'The same for the copies of one mail: those in the mailboxes of its recipients, and the one of its sender. It changes when the server frees space on the disk',
    ),
  ...MARKS,
});

export function toMarkedSummary(message: Message): AnswerOf<typeof MarkedSummaryResponse> {
  return {
    ...toMessageSummaryResponse(message),
    ...{ id: message.id, kind: kindOf(message), copyKey: copyKeyOf(message) },
    ...toMarks(message),
  };
}

const CHANGE = {
  read: anything.meta({ type: 'boolean' }),
  starred: anything.meta({ type: 'boolean' }),
  tags: anything.meta({ ...tagList(), description: 'Replaces all tags' }),
  addTags: anything.meta(tagList()),
  removeTags: anything.meta(tagList()),
};

function tagList() {
  return { type: 'array', maxItems: MOST_TAGS, items: { type: 'string', minLength: 1, maxLength: 100 } } as const;
}

const MarkRequest = z.object(CHANGE);

/** The most ids in one request. */
const MOST_IDS = 10_000;

const MarkManyRequest = z.object({
  ids: anything.meta({
    type: 'array',
    maxItems: MOST_IDS,
    items: { type: 'string' },
    description: 'The messages to mark. Ids of messages that do not exist are left out',
  }),
  query: anything.meta({ type: 'string', description: 'In place of ids: the search that finds the messages' }),
  mailboxId: anything.meta({ type: 'string', description: 'With query: only messages of this mailbox' }),
  workspaceId: anything.meta({ type: 'string', description: 'With query: only messages of this workspace' }),
  ...CHANGE,
});

export const MarkedResponse = z.object({
  updated: z.int().describe('The number of messages that changed'),
  skipped: z.int().describe('The number of messages that stayed as they were, because of too many tags'),
});

export const localMarks = [
  localRoute('PATCH', '/_mailcap/messages/:id', {
    id: 'markMessage',
    summary: 'Mark a message as read or starred, and tag it',
    description: 'Marks that are left out stay. `tags` comes first, then `addTags`, then `removeTags`.',
    example: { read: true, addTags: ['spring'] },
    resolve: anyMessage,
    body: MarkRequest,
    returns: { 200: MarkedSummaryResponse },
    fails: ['invalid_marks', 'invalid_tags', 'too_many_tags'],
    transact: async ({ ctx, tx, found, body }) =>
      toMarkedSummary(await markMessage(ctx, tx, found, requireChange(body))),
  }),

  localRoute('PATCH', '/_mailcap/messages', {
    id: 'markMessages',
    summary: 'Mark messages, by their ids or by a search',
    description: 'It marks a hundred messages at a time, so an error may come after some of them are marked.',
    example: { query: 'from:shop is:unread', read: true },
    body: MarkManyRequest,
    returns: { 200: MarkedResponse },
    fails: [
      'invalid_body',
      'invalid_ids',
      'invalid_query',
      'invalid_mailbox_id',
      'invalid_workspace_id',
      'invalid_marks',
      'invalid_tags',
      'too_many_tags',
    ],
    handle: async ({ ctx, body, exchange }): Promise<MarkResult> => {
      if ((body.ids === undefined) === (body.query === undefined)) throw refuse('invalid_body');
      const change = requireChange(body);
      const marked =
        body.ids === undefined
          ? await markBySearch(ctx, body, change, exchange)
          : await markEach(ctx, requireIds(body.ids), change, { cancelSignal: exchange });
      // Marks that the stop of the server cut short are incomplete.
      checkTimePassed(exchange);
      return marked;
    },
  }),
];

function requireChange({ read, starred, tags, addTags, removeTags }: z.infer<typeof MarkRequest>): MarkChange {
  const change = {
    ...(read !== undefined && { read: requireFlag(read) }),
    ...(starred !== undefined && { starred: requireFlag(starred) }),
    ...(tags !== undefined && { tags: requireTags(tags) }),
    ...(addTags !== undefined && { addTags: requireTags(addTags) }),
    ...(removeTags !== undefined && { removeTags: requireTags(removeTags) }),
  };
  if (Object.keys(change).length === 0) throw refuse('invalid_marks');
  return change;
}

function requireFlag(given: unknown): boolean {
  if (typeof given !== 'boolean') throw refuse('invalid_marks');
  return given;
}

function requireTags(given: unknown): string[] {
  if (!Array.isArray(given) || given.length > MOST_TAGS) throw refuse('invalid_tags');
  return given.map((text: unknown) => {
    const tag = typeof text === 'string' ? parseTag(text) : null;
    if (tag === null) throw refuse('invalid_tags');
    return tag;
  });
}

function requireIds(given: unknown): MessageId[] {
  if (!Array.isArray(given) || given.length > MOST_IDS) throw refuse('invalid_ids');
  const ids = given.map((text: unknown) => (typeof text === 'string' ? parseUlid<MessageId>(text) : null));
  if (ids.includes(null)) throw refuse('invalid_ids');
  return [...new Set(ids.filter((id) => id !== null))];
}

async function markBySearch(
  ctx: Context,
  body: z.infer<typeof MarkManyRequest>,
  change: MarkChange,
  exchange: Exchange,
): Promise<MarkResult> {
  const scope = requireScope(body);
  const mailbox = scope.mailboxId === undefined ? null : await ctx.store.read.mailboxes.get(scope.mailboxId);
  const given = body.query;
  if (typeof given !== 'string') throw refuse('invalid_query', { message: 'query must be a text.', position: 0 });
  const query = await parseSearch(ctx, given, scope.workspaceId ?? mailbox?.workspaceId ?? null);
  // An empty variable in a user's script must not mark everything.
  if (query.length === 0) throw refuse('invalid_query', { message: NOTHING_ASKED, position: 0 });
  return markFound(ctx, scope, query, change, exchange);
}

const NOTHING_ASKED = 'Marks by search need a query that is not empty.';

function requireScope({ mailboxId, workspaceId }: z.infer<typeof MarkManyRequest>) {
  return {
    mailboxId: optionalId<MailboxId>(mailboxId, 'invalid_mailbox_id'),
    workspaceId: optionalId<WorkspaceId>(workspaceId, 'invalid_workspace_id'),
  };
}

function optionalId<Id extends Ulid>(
  given: unknown,
  code: 'invalid_mailbox_id' | 'invalid_workspace_id',
): Id | undefined {
  if (given === undefined || given === null) return undefined;
  const id = typeof given === 'string' ? parseUlid<Id>(given) : null;
  if (id === null) throw refuse(code);
  return id;
}
