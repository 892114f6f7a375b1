import { z } from 'zod';
import { clearWorkspace, deleteOfWorkspace } from '../../actions/delete-messages.ts';
import { readFacts, readWhole, unlessGone } from '../../actions/read-message.ts';
import type { Context } from '../../context.ts';
import { refuse, there } from '../../domain/errors.ts';
import type { EventType } from '../../domain/event.ts';
import type { Message, ReceiptMetadata } from '../../domain/message.ts';
import type { SearchQuery } from '../../domain/search/query.ts';
import { MAX_HEADER_BYTES } from '../../mail/header-block.ts';
import { parseMimeValue } from '../../mail/part.ts';
import { mailDate } from '../../text/mail-date.ts';
import type { TextField } from '../../text/search-words.ts';
import type { Download, Exchange } from '../exchange.ts';
import { inPieces } from '../large-json.ts';
import { type Anyone, type Endpoint, foreignRoute, readTexts } from '../route.ts';
import { jimRoutes } from './chaos.ts';
import { type CompatSocket, eventStream, followEvents, upgradeRoute, type ValuesOf } from './events.ts';
import {
  anyCase,
  file,
  mailRoute,
  nothing,
  pageAt,
  relayMessage,
  seededMessage,
  seededWorkspaceId,
  sentencesAs,
  sourceFile,
  streamedRows,
  textQuery,
} from './shared.ts';

// docs/from-mailhog.md: MailHog's API over the seeded workspace.

/** The limits that MailHog has for a page. */
const LISTED = 50;
const MOST_LISTED = 250;
const MOST_LISTED_V1 = 1_000;

/** Who gets a released message, and the server that sends it: MailHog lets the client name any. */
const ReleaseRequest = anyCase(
  z.looseObject({
    name: z.string().nullish(),
    email: z.string().nullish(),
    host: z.string().nullish(),
    port: z.union([z.string(), z.number()]).nullish(),
  }),
);

/** Writes an error as a status of few and a sentence. MailHog has the status alone. */
export const mailhogError = sentencesAs('text/plain');

const NEW_MESSAGES: ReadonlySet<EventType> = new Set(['message.received']);

/** Returns what a stream writes of each new message. */
function newMessages(ctx: Context): ValuesOf {
  return async (item) => {
    const message = item.kind === 'message' ? await mailhogMessage(ctx, item.message) : null;
    return message === null ? [] : [message];
  };
}

export const mailhogSocket: CompatSocket = {
  path: '/api/v2/websocket',
  subscribe: (ctx, sink, after) => followEvents(ctx, sink, after, NEW_MESSAGES, newMessages(ctx)),
};

export const mailhogRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('GET', '/api/v2/messages', async ({ ctx, exchange }) => {
    const { start, limit } = pageOf(exchange);
    const { items, total } = await pageAt(ctx, exchange, { start, limit });
    return listOf(ctx, items, { start, total });
  }),

  foreignRoute('GET', '/api/v2/search', async ({ ctx, exchange }) => {
    const { start, limit } = pageOf(exchange);
    const { items, total, complete } = await pageAt(ctx, exchange, { query: requireSearch(exchange), start, limit });
    return listOf(ctx, items, { start, total, ...(complete ? {} : { complete }) });
  }),

  foreignRoute('GET', '/api/v1/messages', async ({ ctx, exchange }) => {
    const { items } = await pageAt(ctx, exchange, { start: 0, limit: MOST_LISTED_V1 });
    return streamedRows(null, rowsOf(ctx, items));
  }),

  foreignRoute('DELETE', '/api/v1/messages', async ({ ctx }) => {
    await clearWorkspace(ctx, await seededWorkspaceId(ctx));
    return nothing();
  }),

  foreignRoute('GET', '/api/v1/events', async ({ ctx, exchange }) =>
    eventStream(ctx, exchange, NEW_MESSAGES, newMessages(ctx)),
  ),

  foreignRoute('GET', '/api/v2/outgoing-smtp', async ({ ctx }) => {
    const server = relayOf(ctx);
    return server === null ? {} : { [server.Name]: server };
  }),

  foreignRoute('POST', '/api/v1/messages/:id/release', {
    resolve: seededMessage,
    body: ReleaseRequest,
    handle: async ({ ctx, found, body, exchange }) => {
      const server = relayOf(ctx);
      if (server === null) throw refuse('no_relay');
      const { name, host, port } = body;
      const isOurs = name ? name === server.Name : !host || (host === server.Host && String(port) === server.Port);
      // A client must not make the server connect to whatever it names.
      if (!isOurs) throw refuse('invalid_to', { message: `Only the server of --relay sends: ${server.Name}` });
      await relayMessage(ctx, found, body.email ?? '', exchange);
      return nothing();
    },
  }),

  mailRoute('GET', '/api/v1/messages/:id', async ({ ctx, found }) => inPieces(there(await mailhogMessage(ctx, found)))),

  mailRoute('DELETE', '/api/v1/messages/:id', async ({ ctx, found }) => {
    await deleteOfWorkspace(ctx, found.workspaceId, [found.id]);
    return nothing();
  }),

  mailRoute('GET', '/api/v1/messages/:id/download', async ({ ctx, found }) => sourceFile(ctx, found)),

  mailRoute('GET', '/api/v1/messages/:id/mime/part/:part/download', async ({ ctx, found, exchange }) => {
    const { MIME } = there(await mailhogMessage(ctx, found));
    const { part = '' } = exchange.params;
    const content = /^\d{1,4}$/.test(part) ? MIME?.Parts[Number(part)] : undefined;
    if (content === undefined) throw refuse('not_found');
    const header = (name: string) =>
      Object.entries(content.Headers).find(([one]) => one.toLowerCase() === name)?.[1][0] ?? '';
    const isBase64 = header('content-transfer-encoding').trim().toLowerCase() === 'base64';
    return file({
      filename: `${found.id}-part-${part}`,
      contentType: header('content-type'),
      content: Buffer.from(content.Body, isBase64 ? 'base64' : 'utf8'),
    });
  }),

  upgradeRoute(mailhogSocket.path),
  ...jimRoutes,
];

function pageOf({ query }: Exchange): { start: number; limit: number } {
  const given = readTexts(['start', 'limit'], query);
  const number = (text: string | undefined) => (/^\+?\d{1,9}$/.test(text ?? '') ? Number(text) : 0);
  return { start: number(given['start']), limit: Math.min(number(given['limit']) || LISTED, MOST_LISTED) };
}

/** The field in which each kind of search looks. Null stands for all. Both addresses count, as in MailHog. */
const FIELDS: ReadonlyMap<string, TextField | null> = new Map([
  ['from', 'from'],
  ['to', 'recipient'],
  ['containing', null],
]);

function requireSearch({ query }: Exchange): SearchQuery {
  const { kind = '', query: given = '' } = readTexts(['kind', 'query'], query);
  const field = FIELDS.get(kind);
  if (field === undefined)
    throw refuse('invalid_query', { message: 'kind must be from, to or containing.', position: 0 });
  const terms = textQuery('query', field, given.replace(/\s+/g, ' ').trim());
  if (terms.length === 0) throw refuse('invalid_query', { message: 'query must not be empty.', position: 0 });
  return terms;
}

async function* rowsOf(ctx: Context, messages: readonly Message[]): AsyncGenerator<object, void> {
  for (const message of messages) {
    const row = await mailhogMessage(ctx, message);
    if (row !== null) yield row;
  }
}

function listOf(ctx: Context, messages: readonly Message[], rest: { start: number; total: number }): Download {
  return streamedRows('items', rowsOf(ctx, messages), (count) => ({ ...rest, count }));
}

/** Reads a message as MailHog shows it, with all of its bytes. Null if it was deleted meanwhile. */
function mailhogMessage(ctx: Context, message: Message) {
  return unlessGone(ctx, message, async () => {
    const facts = await readFacts(ctx, message);
    // MailHog counts the line end before the final dot to the end of DATA, not to the message.
    const text = (await readWhole(ctx, message)).toString();
    const Data = text.endsWith('\r\n') ? text.slice(0, -2) : text;
    const { MIME, ...content } = contentOf(Data);
    return {
      ID: message.id,
      From: pathOf(message.mailFrom),
      To: message.rcptTo.map(pathOf),
      Content: { ...content, Headers: withTrace(ctx, content.Headers, message, facts), MIME: null },
      Created: new Date(message.receivedAt).toISOString(),
      MIME,
      Raw: { From: message.mailFrom, To: message.rcptTo, Data, Helo: facts.helo ?? '' },
    };
  });
}

function pathOf(address: string) {
  const at = address.indexOf('@');
  return {
    Relays: null,
    Mailbox: at < 0 ? address : address.slice(0, at),
    Domain: at < 0 ? '' : address.slice(at + 1),
    Params: '',
  };
}

/** Adds the fields that a receiving server writes. `Raw` is without them. */
function withTrace(
  { config }: Context,
  headers: Readonly<Record<string, readonly string[]>>,
  { id, mailFrom, receivedAt }: Message,
  { helo }: ReceiptMetadata,
): Record<string, readonly string[]> {
  const all: Record<string, readonly string[]> = Object.assign(Object.create(null), headers);
  const nameOf = (name: string) => Object.keys(all).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
  const add = (name: string, text: string) => {
    all[nameOf(name)] = [...(all[nameOf(name)] ?? []), text];
  };
  if (all[nameOf('Message-ID')] === undefined) add('Message-ID', id);
  add(
    'Received',
    `from ${helo ?? ''} by ${config.mailDomain} (mailcap)\r\n          id ${id}; ${mailDate(receivedAt)}`,
  );
  add('Return-Path', `<${mailFrom}>`);
  return all;
}

/** A mail or a part of it, as MailHog reads it. Nothing is decoded. If a field repeats, the last one counts. */
interface MailhogContent {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  /** In bytes. */
  readonly Size: number;
  readonly MIME: { readonly Parts: readonly MailhogContent[] } | null;
}

/** The number of multiparts within each other that are read. MailHog has no limit. */
const MAX_DEPTH = 20;
/** The number of pieces into which one multipart is split. */
const MAX_PARTS = 1_000;

/** Reads the header and the body of a mail, and its parts if it is a multipart. */
export function contentOf(text: string, depth = 0): MailhogContent {
  const end = text.indexOf('\r\n\r\n');
  const Headers = headersOf(end < 0 ? '' : text.slice(0, Math.min(end, MAX_HEADER_BYTES)));
  const Body = end < 0 ? text : text.slice(end + 4);
  const type = Headers['Content-Type']?.[0] ?? '';
  const MIME = depth < MAX_DEPTH && type.startsWith('multipart/') ? { Parts: partsOf(Body, type, depth) } : null;
  return { Headers, Body, Size: Buffer.byteLength(text), MIME };
}

function partsOf(body: string, type: string, depth: number): MailhogContent[] {
  const boundary = parseMimeValue(Buffer.from(type)).param('boundary');
  if (boundary === null) return [];
  const pieces = body.split(`--${boundary}`, MAX_PARTS).filter((piece) => piece !== '');
  return pieces.map((piece) => contentOf(trimmed(piece), depth + 1));
}

/** Removes the line ends around a part. A regular expression would inspect every line of a large part. */
function trimmed(piece: string): string {
  const isLineEnd = (at: number) => piece[at] === '\r' || piece[at] === '\n';
  let from = 0;
  let to = piece.length;
  while (from < to && isLineEnd(from)) from++;
  while (to > from && isLineEnd(to - 1)) to--;
  return piece.slice(from, to);
}

/** The fields that clients look for by their usual spelling. Others have the spelling of the mail, as with MailHog. */
const USUAL: ReadonlyMap<string, string> = new Map(
  [
    ...['From', 'Sender', 'Reply-To', 'To', 'Cc', 'Bcc', 'Subject', 'Date', 'Message-ID', 'In-Reply-To', 'References'],
    ...['MIME-Version', 'Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition', 'Content-ID'],
    ...['Return-Path', 'Received', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
  ].map((name) => [name.toLowerCase(), name]),
);

const IN_ONE_CASE = /^(?:[^A-Z]+|[^a-z]+)$/;

/** Returns the usual spelling of such a name in small letters or in capitals alone: clients look for `Subject`. */
function usualName(name: string): string {
  return IN_ONE_CASE.test(name) ? (USUAL.get(name.toLowerCase()) ?? name) : name;
}

/** Reads the fields. The object has no prototype, because a sender chooses the names. */
function headersOf(block: string): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  const folded = new Map<string, string[]>();
  let pieces: string[] | undefined;
  for (const line of block.split('\r\n')) {
    if (pieces !== undefined && /^[ \t]/.test(line)) {
      pieces.push(line);
      continue;
    }
    const colon = line.indexOf(': ');
    if (colon < 0) continue;
    pieces = [line.slice(colon + 2)];
    folded.set(usualName(line.slice(0, colon)), pieces);
  }
  for (const [name, texts] of folded) fields[name] = [texts.join('')];
  return fields;
}

/** Returns the relay as MailHog writes a server that sends. Null if there is none. */
function relayOf({ relay, config }: Context) {
  if (relay === null) return null;
  const { protocol, port } = new URL(config.relay ?? 'smtp://localhost');
  const Port = port || (protocol === 'smtps:' ? '465' : '25');
  return {
    Name: relay.name,
    Save: false,
    Email: '',
    Host: relay.name,
    Port,
    Username: '',
    Password: '',
    Mechanism: '',
  };
}
