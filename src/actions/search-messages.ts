import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { type Message, summaryHas } from '../domain/message.ts';
import { lookInBody, type ParsedMail } from '../domain/parsed-mail.ts';
import type { Ending } from '../ports/ending.ts';
import { readParsed } from './read-message.ts';

export interface Search {
  /** A case-insensitive part of subject, sender, recipients or body; an empty one finds everything. */
  readonly query: string;
  readonly before?: MessageId | undefined;
  readonly limit: number;
  /** When nobody waits for the answer any more. */
  readonly ending: Ending;
}

// Bodies are parsed this many at a time, so that a search of any mailbox holds little and leaves room for others.
const PAGE = 16;

/** Newest first, at most `limit`. */
export async function searchMessages(ctx: Context, mailbox: Mailbox, search: Search): Promise<Message[]> {
  const { messages } = ctx.store.read;
  const part = search.query.toLowerCase();
  const now = ctx.clock.now();
  if (part === '') return messages.page(mailbox.id, { before: search.before, limit: search.limit, now });
  const found: Message[] = [];
  let before = search.before;
  while (!search.ending.ended) {
    const page = await messages.page(mailbox.id, { before, limit: PAGE, now });
    const hits = await Promise.all(page.map((message) => isHit(ctx, message, part)));
    found.push(...page.filter((_message, i) => hits[i]));
    before = page.at(-1)?.id;
    if (page.length < PAGE || found.length >= search.limit) break;
    await setImmediate();
  }
  return found.slice(0, search.limit);
}

async function isHit(ctx: Context, message: Message, part: string): Promise<boolean> {
  if (summaryHas(message, part)) return true;
  const parsed = await readParsed(ctx, message).catch(async (error: unknown) => {
    // Deleted while the search went on: it is no hit, and no failure.
    if ((await ctx.store.read.messages.get(message.id, ctx.clock.now())) === null) return null;
    throw error;
  });
  return parsed !== null && isInBody(parsed, part);
}

/** A large body is looked through between other work. */
async function isInBody(mail: ParsedMail, part: string): Promise<boolean> {
  let isLater = false;
  for (const isFound of lookInBody(mail, part)) {
    if (isFound) return true;
    // Most bodies are one piece.
    if (isLater) await setImmediate();
    isLater = true;
  }
  return false;
}
