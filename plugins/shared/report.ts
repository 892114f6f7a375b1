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
/** The most that a report may weigh in bytes. It is in memory until all of it is written. */
export const MAX_BYTES = 64 * 1024 * 1024;
/** The longest time that the report may take, in milliseconds, so that it does not outlast the test. */
const TIMEOUT_MS = 5_000;

/**
 * Returns every message and request that the handles of an attempt received, with the waits. If a handle can't be read,
 * the report holds the reason. What has no room in it is left out, the oldest first, and the report says so.
 */
export async function reportOf({ mailboxes, webhooks }: Attempt, mostBytes = MAX_BYTES): Promise<Exhibit[]> {
  const room = new Room(mostBytes);
  const mail = mailboxes.map((used, at) => guarded(nth('mailbox', at), () => mailboxReport(used, at, room)));
  const requests = webhooks.map((used, at) => guarded(nth('webhook', at), () => webhookReport(used, at, room)));
  return (await Promise.all([...mail, ...requests])).flat();
}

async function mailboxReport(
  { handle, openedAt, happenings }: UsedHandle<Mailbox>,
  at: number,
  room: Room,
): Promise<Exhibit[]> {
  const all = await handle.messages({}, { timeout: TIMEOUT_MS });
  const messages = all.slice(-MAX_SHOWN);
  const notShown = all.length - messages.length;
  const shown: Exhibit[][] = [];
  const leftOut: string[] = [];
  for (const [of, message] of [...messages.entries()].reverse()) {
    // A runner prints the name.
    const subject = harmlessLine(message.subject ?? 'no subject');
    const name = printed(`${nth('mailbox', at)} mail ${notShown + of + 1}: ${subject}`);
    const exhibits = await messageExhibits(message, name, room);
    shown.unshift(exhibits.filter((made) => typeof made !== 'string'));
    leftOut.unshift(...exhibits.filter((made) => typeof made === 'string'));
  }
  const overview = {
    address: handle.address,
    mailboxId: handle.id,
    timeline: timeline(openedAt, happenings, all),
    ...countsOf(all),
    messages: messages.map(factsOf),
    ...(leftOut.length > 0 && { leftOut }),
  };
  return [json(nth('mailbox', at), overview), ...shown.flat()];
}

/** Returns the page and the source of a message. A string says what has no room. */
async function messageExhibits(message: Message, name: string, room: Room): Promise<(Exhibit | string)[]> {
  const made: (Exhibit | string)[] = [];
  const page = new TextEncoder().encode(messagePage(message, await picturesOf(message, room.left)));
  if (room.take(page.length)) made.push(exhibit(name, 'html', 'text/html', page));
  else made.push(room.tooLarge(`The page of ${name}`, page.length));
  if (!room.take(message.sizeBytes)) return [...made, room.tooLarge(`The source of ${name}`, message.sizeBytes)];
  const source = await unlessCloud(message.raw());
  return source === null ? made : [...made, exhibit(`${name} (source)`, 'eml', 'message/rfc822', source)];
}

/** The bytes that are left for a report. */
class Room {
  readonly #all: number;
  left: number;

  constructor(bytes: number) {
    this.#all = bytes;
    this.left = bytes;
  }

  /** Takes bytes if they are left. Returns whether they were. */
  take(bytes: number): boolean {
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  /** Says that something has no room. */
  tooLarge(what: string, bytes: number): string {
    const [its, all] = [bytes, this.#all].map((count) => count.toLocaleString('en'));
    return `${what} is left out: it has ${its} bytes, and the report may have ${all}.`;
  }
}

async function webhookReport(
  { handle, openedAt, happenings }: UsedHandle<Webhook>,
  at: number,
  room: Room,
): Promise<Exhibit[]> {
  const all = await handle.requests({}, { timeout: TIMEOUT_MS });
  return [
    json(nth('webhook', at), {
      url: handle.url,
      timeline: timeline(openedAt, happenings, all),
      ...countsOf(all),
      requests: all
        .slice(-MAX_SHOWN)
        .reverse()
        .map((request) => requestFacts(request, room))
        .reverse(),
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

function requestFacts(request: CapturedRequest, room: Room) {
  const { id, receivedAt, method, path, query, headers, responseStatus } = request;
  const facts = { id, receivedAt, method, path, query, headers, responseStatus };
  try {
    const bodyBytes = request.rawBody.length;
    if (2 * bodyBytes < room.left) {
      const content = { body: request.text(), curl: request.curl() };
      // JSON writes some characters as six.
      if (room.take(JSON.stringify(content).length)) return { ...facts, ...content };
    }
    return { ...facts, leftOut: room.tooLarge('The body', bodyBytes) };
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
