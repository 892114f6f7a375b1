import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { markEach } from '../../actions/mark-messages.ts';
import { bringMessage } from '../../actions/receive-message.ts';
import type { Context } from '../../context.ts';
import { domainIn } from '../../domain/address.ts';
import { type ListedAddress, parseAddress } from '../../domain/address-list.ts';
import { type ApiError, refuse } from '../../domain/errors.ts';
import { cleanTags, MOST_TAGS } from '../../domain/marks.ts';
import type { MailFile } from '../../domain/provider.ts';
import { composeMessage } from '../../mail/compose.ts';
import { realTime } from '../../ports/system.ts';
import type { Exchange } from '../exchange.ts';
import { basicCredentials } from '../local/guard.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../route.ts';
import {
  anyCase,
  errorSentence,
  findSeededMessage,
  plainStatusOf,
  plainText,
  relayMessage,
  seededWorkspaceId,
} from './shared.ts';

// Mailpit's requests that send: a new message to this server, and a captured one to the relay.

/** A text of a request. Null and a missing text are an empty one, as in Go. */
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? '');
const Person = anyCase(z.looseObject({ name: text, email: text }));
const File = anyCase(z.looseObject({ content: text, filename: text, contenttype: text, contentid: text }));
const SendMessageRequest = anyCase(
  z.looseObject({
    from: Person.nullish(),
    to: z.array(Person).nullish(),
    cc: z.array(Person).nullish(),
    bcc: z.array(text).nullish(),
    replyto: z.array(Person).nullish(),
    subject: text,
    text,
    html: text,
    attachments: z.array(File).nullish(),
    tags: z.array(text).nullish(),
    headers: z.record(z.string(), text).nullish(),
  }),
);
type SendMessage = z.infer<typeof SendMessageRequest>;

const ReleaseMessageRequest = anyCase(z.looseObject({ to: z.array(z.string()).nullish() }));

/** The header fields that the other fields of a request write. */
const WRITTEN: ReadonlySet<string> = new Set(
  'to from cc bcc reply-to date subject content-type mime-version x-tags'.split(' '),
);
const FIELD_NAME = /^[!-9;-~]{1,200}$/;
const ONE_LINE = /^[^\r\n\0]{0,4000}$/;

/** The largest request. Files are in base64, so it is larger than the largest mail. */
const MOST_BYTES = 64 * 1024 * 1024;

export const SEND_PATH = '/api/v1/send';

export const sendRoutes: readonly Endpoint<Anyone>[] = [
  foreignRoute('POST', SEND_PATH, {
    body: SendMessageRequest,
    bodyLimit: MOST_BYTES,
    handle: async ({ ctx, body, exchange }) => ({ ID: await sendToSelf(ctx, body, exchange) }),
  }),

  foreignRoute('POST', '/api/v1/message/:id/release', {
    body: ReleaseMessageRequest,
    handle: async ({ ctx, body, exchange }) => {
      const message = await findSeededMessage(ctx, exchange.params['id'] ?? '');
      const to = body.to ?? [];
      for (const one of to) requireAddress(one, 'Invalid email address: ');
      if (to.length === 0) throw refuse('invalid_to', { message: 'No valid addresses found' });
      await relayMessage(ctx, message, to.join(', '), exchange, 'SMTP error: ');
      return plainText('ok');
    },
  }),
];

/** Writes the error of a send: unlike its other errors, Mailpit's is JSON. */
export function sendError(error: ApiError) {
  return {
    status: plainStatusOf(error),
    type: 'application/json',
    body: JSON.stringify({ Error: errorSentence(error) }),
  };
}

/** Stores a message as if SMTP had brought it to its recipients. Returns the id of the copy that this API shows. */
async function sendToSelf(ctx: Context, body: SendMessage, exchange: Exchange): Promise<string> {
  const workspaceId = await seededWorkspaceId(ctx);
  const tags = cleanTags(body.tags ?? []).slice(0, MOST_TAGS);
  const { mailFrom, rcptTo, raw } = await composed(ctx, body, tags);
  if (raw.length > ctx.config.smtpSize) throw refuse('payload_too_large');
  const user = userOf(exchange);
  const stored = await bringMessage(ctx, { mailFrom, rcptTo, raw, user, ...exchange.client });
  if (tags.length > 0) {
    const ids = stored.filter((message) => message.workspaceId === workspaceId).map(({ id }) => id);
    await markEach(ctx, ids, { tags }, { workspaceId, cancelSignal: exchange });
  }
  await ctx.tagger?.tag(ctx, stored, user);
  const shown = stored.find((message) => message.workspaceId === workspaceId) ?? stored[0];
  if (shown === undefined) throw refuse('not_found');
  return shown.id;
}

async function composed(ctx: Context, body: SendMessage, tags: readonly string[]) {
  const { from, to, cc, bcc, replyto, subject, text, html } = body;
  const mailFrom = from?.email ?? '';
  if (mailFrom === '') throw invalid('error building message: from not set');
  requireAddress(mailFrom, 'invalid From address: ');
  const listed = (people: SendMessage['to'], what: string) =>
    (people ?? []).map(({ name, email }) => personOf(name, requireAddress(email, `invalid ${what} address: `)));
  const lists = { to: listed(to, 'To'), cc: listed(cc, 'Cc'), replyTo: listed(replyto, 'Reply-To') };
  const hidden = (bcc ?? []).map((one) => requireAddress(one, 'invalid Bcc address: '));
  const rcptTo = [...lists.to, ...lists.cc].map(({ address }) => address).concat(hidden);
  if (rcptTo.length === 0) throw invalid('error building message: no recipients (to, cc, bcc) set');
  const isTextAlone = html === '' && (body.attachments ?? []).length === 0;
  const messageId = `<${ctx.ids.next(realTime(ctx.clock))}@${ctx.config.mailDomain}>`;
  const raw = await composeMessage(
    {
      from: personOf(from?.name ?? '', mailFrom),
      ...lists,
      subject,
      text,
      html: html === '' ? null : html,
      headers: fieldsOf(body, tags),
      attachments: (body.attachments ?? []).map(fileOf),
    },
    { messageId, date: realTime(ctx.clock) + ctx.clock.offsetMs() },
  );
  return { mailFrom, rcptTo, raw: isTextAlone && !text.endsWith('\n') ? withoutLastBreak(raw) : raw };
}

/** Removes the line break that the composer adds: in Mailpit the text is as it was given. */
function withoutLastBreak(raw: Buffer): Buffer {
  return raw.toString('latin1', raw.length - 2) === '\r\n' ? raw.subarray(0, -2) : raw;
}

function invalid(message: string): ApiError {
  return refuse('invalid_body', { message });
}

function requireAddress(given: string, what: string): string {
  const parsed = parseAddress(given);
  if (parsed === null) throw invalid(what + given.slice(0, 200));
  return parsed.address;
}

function personOf(name: string, address: string): ListedAddress {
  return { name: name === '' ? null : name, address, domain: domainIn(address) };
}

function fieldsOf({ headers }: SendMessage, tags: readonly string[]): [name: string, value: string][] {
  const fields = Object.entries(headers ?? {});
  for (const [name, value] of fields) {
    if (WRITTEN.has(name.toLowerCase())) throw invalid(`cannot overwrite header: ${JSON.stringify(name)}`);
    if (!FIELD_NAME.test(name) || !ONE_LINE.test(value))
      throw invalid(`the header ${JSON.stringify(name.slice(0, 200))} is no field of one line`);
  }
  return tags.length === 0 ? fields : [['X-Tags', tags.join(', ')], ...fields];
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Reads a file. Its content may be a data URL, as a browser's FileReader writes it. */
function fileOf({ content, filename, contenttype, contentid }: z.infer<typeof File>): MailFile {
  const encoded = content.slice(content.lastIndexOf(',') + 1).replace(/[\r\n]/g, '');
  if (encoded.length % 4 !== 0 || !BASE64.test(encoded))
    throw invalid(`error decoding base64 attachment ${JSON.stringify(filename)}: illegal base64 data`);
  if (!ONE_LINE.test(contenttype) || !ONE_LINE.test(contentid))
    throw invalid(`the attachment ${JSON.stringify(filename)} has a type or an id with a line break`);
  const bytes = Buffer.from(encoded, 'base64');
  return {
    content: bytes,
    filename: filename || null,
    contentType: contenttype || typeOf(bytes),
    contentId: contentid || null,
  };
}

/** The first bytes of the types that Mailpit recognizes and that mails have. */
const SIGNATURES: readonly (readonly [type: string, start: string])[] = [
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
  ['image/bmp', 'BM'],
  ['application/pdf', '%PDF-'],
  ['application/zip', 'PK\x03\x04'],
  ['application/x-gzip', '\x1f\x8b\x08'],
];
const HTML = /^\s*<(?:!doctype html|html|head|body|p|div|table|h1|a)[\s>]/i;
const XML = /^\s*<\?xml/;
const SNIFFED_BYTES = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they tell bytes from text
const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/;

/** Returns the type of a file by its first bytes, as browsers and Go do. */
function typeOf(bytes: Buffer): string {
  const start = bytes.subarray(0, SNIFFED_BYTES).toString('latin1');
  const known = SIGNATURES.find(([, signature]) => start.startsWith(signature));
  if (known !== undefined) return known[0];
  if (HTML.test(start)) return 'text/html; charset=utf-8';
  if (XML.test(start)) return 'text/xml; charset=utf-8';
  return isUtf8(bytes) && !BINARY.test(start) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}

/** Returns the user name of Basic authentication. Null if there is none. */
function userOf({ req }: Exchange): string | null {
  const decoded = basicCredentials(req.headers.authorization) ?? '';
  return decoded.includes(':') ? decoded.slice(0, decoded.indexOf(':')) : null;
}
