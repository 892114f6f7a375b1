import {
  type CapturedRequest,
  LocalOnlyError,
  type Mailbox,
  type Message,
  type Webhook,
} from '../../src/client/index.ts';
import { harmlessLine, printed, printedJson } from '../../src/client/internal.ts';
import type { Attempt } from './attempt.ts';
import { messagePage } from './message-page.ts';
import { picturesOf, unlessCloud } from './pictures.ts';
import type { UsedHandle } from './waiting.ts';

/** A file that a failed attempt leaves for inspection. */
export interface Exhibit {
  readonly name: string;
  /** The extension of the file. */
  readonly extension: 'html' | 'eml' | 'json';
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** The most messages or requests of a handle that are shown. The newest are kept. */
const MAX_SHOWN = 20;
/** The longest time that the report may take, in milliseconds, so that it does not outlast the test. */
const TIMEOUT_MS = 5_000;

/**
 * Returns every message and request that the handles of an attempt received, with the waits. If a handle can't be read,
 * the report holds the reason.
 */
export async function reportOf({ mailboxes, webhooks }: Attempt): Promise<Exhibit[]> {
  const mail = mailboxes.map((used, at) => guarded(nth('mailbox', at), () => mailboxReport(used, at)));
  const requests = webhooks.map((used, at) => guarded(nth('webhook', at), () => webhookReport(used, at)));
  return (await Promise.all([...mail, ...requests])).flat();
}

async function mailboxReport({ handle, openedAt, happenings }: UsedHandle<Mailbox>, at: number): Promise<Exhibit[]> {
  const all = await handle.messages({}, { timeout: TIMEOUT_MS });
  const messages = all.slice(-MAX_SHOWN);
  const overview = {
    address: handle.address,
    mailboxId: handle.id,
    timeline: timeline(openedAt, happenings, all),
    ...countsOf(all),
    messages: messages.map(factsOf),
  };
  const notShown = all.length - messages.length;
  const shown = await Promise.all(messages.map((message, of) => messageExhibits(message, notShown + of, at)));
  return [json(nth('mailbox', at), overview), ...shown.flat()];
}

async function messageExhibits(message: Message, of: number, mailbox: number): Promise<Exhibit[]> {
  // A runner prints the name.
  const name = printed(`${nth('mailbox', mailbox)} mail ${of + 1}: ${harmlessLine(message.subject ?? 'no subject')}`);
  const [pictures, source] = await Promise.all([picturesOf(message), unlessCloud(message.raw())]);
  const page = exhibit(name, 'html', 'text/html', new TextEncoder().encode(messagePage(message, pictures)));
  return source === null ? [page] : [page, exhibit(`${name} (source)`, 'eml', 'message/rfc822', source)];
}

async function webhookReport({ handle, openedAt, happenings }: UsedHandle<Webhook>, at: number): Promise<Exhibit[]> {
  const all = await handle.requests({}, { timeout: TIMEOUT_MS });
  return [
    json(nth('webhook', at), {
      url: handle.url,
      timeline: timeline(openedAt, happenings, all),
      ...countsOf(all),
      requests: all.slice(-MAX_SHOWN).map(requestFacts),
    }),
  ];
}

/** Returns the number of received items, and the number of those without details in the overview. */
function countsOf({ length }: readonly unknown[]) {
  return { received: length, notShown: Math.max(0, length - MAX_SHOWN) };
}

type Came = Pick<Message, 'id' | 'receivedAt'> & { readonly subject?: string | null; readonly path?: string };

/** Merges the calls of the test and the arrivals in the order of time. */
function timeline(openedAt: string, happenings: UsedHandle<unknown>['happenings'], came: readonly Came[]) {
  const arrivals = came.map(({ id, receivedAt, subject, path }) => ({
    at: receivedAt.toISOString(),
    came: subject ?? path ?? null,
    id,
  }));
  const events = [{ at: openedAt, opened: true }, ...arrivals, ...happenings];
  return events.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function factsOf(message: Message) {
  const { id, receivedAt, from, to, cc, subject, envelopeFrom, sizeBytes, codes, links, attachments } = message;
  const parties = { from: `${from}`, to: to.map(String), cc: cc.map(String) };
  const files = attachments.map(({ filename, contentType, sizeBytes: bytes }) => ({ filename, contentType, bytes }));
  return { id, receivedAt, ...parties, subject, envelopeFrom, sizeBytes, codes, links, attachments: files };
}

function requestFacts(request: CapturedRequest) {
  const { id, receivedAt, method, path, query, headers, responseStatus } = request;
  const facts = { id, receivedAt, method, path, query, headers, responseStatus };
  try {
    return { ...facts, body: request.text(), curl: request.curl() };
  } catch (error) {
    if (error instanceof LocalOnlyError) return facts;
    throw error;
  }
}

async function guarded(name: string, make: () => Promise<Exhibit[]>): Promise<Exhibit[]> {
  try {
    return await make();
  } catch (error) {
    return [json(name, { failed: error instanceof Error ? error.message : String(error) })];
  }
}

function nth(what: string, at: number): string {
  return at === 0 ? what : `${what} ${at + 1}`;
}

function json(name: string, value: unknown): Exhibit {
  const text = printedJson(JSON.stringify(value, null, 2));
  return exhibit(`${name}.json`, 'json', 'application/json', new TextEncoder().encode(text));
}

function exhibit(name: string, extension: Exhibit['extension'], contentType: string, body: Uint8Array): Exhibit {
  return { name, extension, contentType, body };
}
