import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import type { MessageId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Message, RefusedBy } from '../domain/message.ts';
import type { Moment } from '../domain/time.ts';
import type { MailboxRef, SmtpConnection, SmtpRefusal } from '../ports/storage.ts';
import { momentNow } from '../ports/system.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { type WholeFilter, type WholeMatcher, wholeMatcher } from './match-message.ts';
import { offsetIn } from './time.ts';

export interface DiagnosisRequest {
  /** The conditions of the wait to explain. */
  readonly filter: WholeFilter;
  /** The start of the window, in milliseconds since 1970. */
  readonly since: number;
  readonly cancelSignal: CancelSignal;
}

/**
 * The first items of a list. `leftOut` is the number of the other items, or a lower bound of it if `exact` is false.
 */
export interface FirstItems<Item> {
  readonly items: readonly Item[];
  readonly leftOut: number;
  readonly exact: boolean;
}

export interface Elsewhere {
  readonly message: Message;
  readonly mailbox: Mailbox;
  readonly matches: boolean;
}

/** The reasons why no message matched, as far as the server knows them. */
export interface Diagnosis {
  readonly since: number;
  readonly until: number;
  /** How far the time in the workspace is from real time, in which refusals and connections are. */
  readonly offsetMs: number;
  /** Newest first. */
  readonly messages: FirstItems<{ readonly message: Message; readonly refusedBy: readonly RefusedBy[] }>;
  /**
   * Messages in other mailboxes of the workspace: first the matching ones, then the others, each group newest first.
   */
  readonly elsewhere: FirstItems<Elsewhere>;
  /** Newest first. */
  readonly refusals: FirstItems<SmtpRefusal>;
  readonly lastConnection: SmtpConnection | null;
}

const MESSAGES = 50;
const ELSEWHERE = 20;
const REFUSALS = 50;
/** The number of messages examined in one mailbox, because the window may hold any number. */
const LOOKED_AT = { here: 10_000, elsewhere: 500 };
const PAGE = 500;
/** The number of mails in other mailboxes that are read because their rows do not decide, the newest ones. */
const READ_ELSEWHERE = 100;
/** The number of their bytes. */
const READ_ELSEWHERE_BYTES = 32 * 1024 * 1024;

/**
 * Reports the messages of the window that did not match, messages in other mailboxes, refused mail and the last SMTP
 * connection.
 */
export async function diagnoseMailbox(ctx: Context, mailbox: Mailbox, request: DiagnosisRequest): Promise<Diagnosis> {
  const now = momentNow(ctx.clock);
  const offsetMs = await offsetIn(ctx, ctx.store.read, mailbox.workspaceId);
  const here = await inWindow(ctx, mailbox, request, now, LOOKED_AT.here);
  const matcher = wholeMatcher(ctx, request.filter);
  const shown = here.messages.slice(0, MESSAGES);
  const items: Diagnosis['messages']['items'][number][] = [];
  for (const message of shown) {
    const refusedBy = await matcher.whyNot(message);
    if (refusedBy !== null) items.push({ message, refusedBy });
  }
  return {
    since: request.since,
    until: now.realNow + offsetMs,
    offsetMs,
    messages: { items, leftOut: here.messages.length - shown.length, exact: here.all },
    elsewhere: await elsewhere(ctx, mailbox, request, matcher, now),
    refusals: await refusals(ctx, mailbox, request.since - offsetMs),
    lastConnection: (await ctx.journal.connections()).find(({ concerns }) => mayConcern(mailbox, concerns)) ?? null,
  };
}

interface Window {
  /** Newest first. */
  readonly messages: readonly Message[];
  readonly all: boolean;
}

async function inWindow(
  { store }: Context,
  mailbox: Mailbox,
  { since, cancelSignal }: DiagnosisRequest,
  now: Moment,
  limit: number,
): Promise<Window> {
  const messages: Message[] = [];
  let before: MessageId | undefined;
  while (messages.length < limit && !cancelSignal.isCancelled) {
    const page = await store.read.messages.page(mailbox.id, { before, since, limit: PAGE, now });
    messages.push(...page);
    before = page.at(-1)?.id;
    if (page.length < PAGE) return { messages, all: true };
    await setImmediate();
  }
  return { messages, all: false };
}

async function elsewhere(
  ctx: Context,
  mailbox: Mailbox,
  request: DiagnosisRequest,
  matcher: WholeMatcher,
  now: Moment,
): Promise<FirstItems<Elsewhere>> {
  let possible: Elsewhere[] = [];
  let refused: Elsewhere[] = [];
  let count = 0;
  let exact = true;
  for (const other of await ctx.store.read.mailboxes.list(mailbox.workspaceId)) {
    if (other.id === mailbox.id) continue;
    if (request.cancelSignal.isCancelled) break;
    const { messages, all } = await inWindow(ctx, other, request, now, LOOKED_AT.elsewhere);
    count += messages.length;
    exact &&= all;
    const found = messages.map((message) => ({ message, mailbox: other, matches: false }));
    const isRefused = ({ message }: Elsewhere) => matcher.refusesRow(message);
    possible = firstOf([...possible, ...found.filter((one) => !isRefused(one))], READ_ELSEWHERE);
    refused = firstOf([...refused, ...found.filter(isRefused)], ELSEWHERE);
  }
  const read = await readPossible(possible, matcher, request);
  const items = firstOf([...read, ...refused], ELSEWHERE);
  return { items, leftOut: count - items.length, exact };
}

/** Reads the mails that may match, newest first, until enough do. */
async function readPossible(
  possible: readonly Elsewhere[],
  matcher: WholeMatcher,
  { cancelSignal }: DiagnosisRequest,
): Promise<Elsewhere[]> {
  const read: Elsewhere[] = [];
  let matching = 0;
  let bytes = 0;
  for (const one of possible) {
    bytes += one.message.sizeBytes;
    if (matching === ELSEWHERE || (read.length > 0 && bytes > READ_ELSEWHERE_BYTES) || cancelSignal.isCancelled) break;
    const matches = await matcher.matches(one.message);
    if (matches) matching += 1;
    read.push({ ...one, matches });
  }
  return read;
}

function firstOf(all: Elsewhere[], limit: number): Elsewhere[] {
  return all.sort(matchingThenNewest).slice(0, limit);
}

function matchingThenNewest(one: Elsewhere, other: Elsewhere): number {
  if (one.matches !== other.matches) return one.matches ? -1 : 1;
  return one.message.id > other.message.id ? -1 : 1;
}

async function refusals({ journal }: Context, mailbox: Mailbox, since: number): Promise<FirstItems<SmtpRefusal>> {
  const kept = await journal.refusals();
  const inWindow = kept.filter(({ at, concerns }) => at >= since && mayConcern(mailbox, concerns));
  const items = inWindow.slice(0, REFUSALS);
  // A full journal may have dropped entries of the window if its oldest entry still lies inside it.
  const exact = kept.length < journal.capacity || (kept.at(-1)?.at ?? since) < since;
  return { items, leftOut: inWindow.length - items.length, exact };
}

/** Hides entries that are known to belong to another workspace. */
function mayConcern({ workspaceId }: Mailbox, concerns: MailboxRef | null): boolean {
  return concerns === null || concerns.workspaceId === workspaceId;
}
