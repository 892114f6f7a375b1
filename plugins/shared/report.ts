import {
  type CapturedRequest,
  LocalOnlyError,
  type Mailbox,
  type Message,
  type Webhook,
} from '../../src/client/index.ts';
import type { Attempt } from './attempt.ts';
import { messagePage, type Pictures, shownIn } from './message-page.ts';
import type { Used } from './waiting.ts';

/** What a failed attempt leaves to look at. */
export interface Exhibit {
  readonly name: string;
  /** Of a file that holds it. */
  readonly extension: 'html' | 'eml' | 'json';
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Of each handle, the last that came. */
const MAX_SHOWN = 20;
/** What may stand in a `data:` URL within anybody's quotes. */
const IMAGE = /^image\/[\w.+-]+$/i;
/** What is told of a test that failed is not to take longer than what it tells of. */
const TIMEOUT_MS = 5_000;

/** Every message and request that the handles of an attempt got, and what was waited for. Of a handle that can't be asked it says why. */
export async function reportOf({ mailboxes, webhooks }: Attempt): Promise<Exhibit[]> {
  const mail = mailboxes.map((used, at) => guarded(nth('mailbox', at), () => mailboxReport(used, at)));
  const requests = webhooks.map((used, at) => guarded(nth('webhook', at), () => webhookReport(used, at)));
  return (await Promise.all([...mail, ...requests])).flat();
}

async function mailboxReport({ handle, openedAt, happenings }: Used<Mailbox>, at: number): Promise<Exhibit[]> {
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
  const name = `${nth('mailbox', mailbox)} mail ${of + 1}: ${message.subject ?? 'no subject'}`;
  const [pictures, source] = await Promise.all([picturesOf(message), unlessCloud(message.raw())]);
  const page = exhibit(name, 'html', 'text/html', new TextEncoder().encode(messagePage(message, pictures)));
  return source === null ? [page] : [page, exhibit(`${name} (source)`, 'eml', 'message/rfc822', source)];
}

async function picturesOf({ html, attachments }: Message): Promise<Pictures> {
  const images = shownIn(html ?? '', attachments).filter(({ contentType }) => IMAGE.test(contentType ?? ''));
  const found = await Promise.all(
    images.map(async ({ contentId, contentType, content }) => {
      const bytes = await unlessCloud(content());
      const base64 = bytes && Buffer.from(bytes).toString('base64');
      return base64 === null ? [] : [[contentId ?? '', `data:${contentType};base64,${base64}`] as const];
    }),
  );
  return new Map(found.flat());
}

/** Null for bytes that the cloud does not tell. */
async function unlessCloud<T>(bytes: Promise<T>): Promise<T | null> {
  try {
    return await bytes;
  } catch (error) {
    if (error instanceof LocalOnlyError) return null;
    throw error;
  }
}

async function webhookReport({ handle, openedAt, happenings }: Used<Webhook>, at: number): Promise<Exhibit[]> {
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

/** How many came, and of how many the overview tells no more than that. */
function countsOf({ length }: readonly unknown[]) {
  return { received: length, notShown: Math.max(0, length - MAX_SHOWN) };
}

type Came = Pick<Message, 'id' | 'receivedAt'> & { readonly subject?: string | null; readonly path?: string };

/** What was done and what came, in the order of time. */
function timeline(openedAt: string, happenings: Used<unknown>['happenings'], came: readonly Came[]) {
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
  const text = JSON.stringify(value, null, 2);
  return exhibit(`${name}.json`, 'json', 'application/json', new TextEncoder().encode(text));
}

function exhibit(name: string, extension: Exhibit['extension'], contentType: string, body: Uint8Array): Exhibit {
  return { name, extension, contentType, body };
}
