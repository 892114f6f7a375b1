import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { markEach } from '../../actions/mark-messages.ts';
import { readRaw } from '../../actions/read-message.ts';
import { type FoundAt, findAt, findOldestAt } from '../../actions/search-messages.ts';
import { releaseMessage } from '../../actions/sends.ts';
import type { Context } from '../../context.ts';
import { ApiError, ERRORS, type ErrorCode, refuse } from '../../domain/errors.ts';
import { type MessageId, parseUlid, ulidOfUuid, type WorkspaceId } from '../../domain/ids.ts';
import type { WorkspaceTags } from '../../domain/marks.ts';
import type { Message } from '../../domain/message.ts';
import type { ParsedMail } from '../../domain/parsed-mail.ts';
import { MOST_CHARACTERS, type SearchQuery, type Term } from '../../domain/search/query.ts';
import { headerBlock, readFields } from '../../mail/header-block.ts';
import type { Attachment } from '../../ports/mail.ts';
import { momentNow } from '../../ports/system.ts';
import type { TextField } from '../../text/search-words.ts';
import { isObject } from '../../text/unknown.ts';
import { checkTimePassed, Download, type ErrorForm, type Exchange, fileHeaders, HARMLESS } from '../exchange.ts';
import { rowPieces } from '../large-json.ts';
import { type Anyone, type Endpoint, type ForeignHandler, foreignRoute, type Method, type Resolver } from '../route.ts';

/** Answers with a text that no browser treats as a page of ours. */
export function plainText(text: string): Download {
  return Download.of(Buffer.from(text), { ...HARMLESS, 'Content-Type': 'text/plain; charset=utf-8' });
}

/** Answers without content. */
export function nothing(status = 200): Download {
  return Download.of(Buffer.alloc(0), {}, status);
}

/** Returns what a person is told about an error: the sentence that says why, or else that of its code. */
export function errorSentence({ code, extra }: ApiError): string {
  const { message } = extra;
  return typeof message === 'string' ? message : ERRORS[code].when;
}

/** The statuses that an API with few keeps, because clients act by them. */
const KEPT: ReadonlySet<number> = new Set([403, 404, 413, 426, 501, 503]);

/** Returns the status of an error in an API that has few: nearly all refusals are a 400. */
export function plainStatusOf({ status }: ApiError): number {
  return KEPT.has(status) ? status : status < 500 ? 400 : 500;
}

/** Writes the errors of an API that has few statuses, each with a sentence as text. */
export function sentencesAs(type: string): ErrorForm {
  return (error) => ({ status: plainStatusOf(error), type, body: errorSentence(error) });
}

/** Sends the client to another address of this server. */
export function redirect(location: string): Download {
  return Download.of(Buffer.alloc(0), { Location: location }, 302);
}

/** Answers with the exact bytes of a message, as text that a browser shows. */
export function source(ctx: Context, message: Message): Download {
  const headers = { ...HARMLESS, 'Content-Type': 'text/plain; charset=utf-8' };
  return new Download(headers, message.sizeBytes, () => readRaw(ctx, message));
}

/** Answers with the exact bytes of a message, as a file that a browser saves. */
export function sourceFile(ctx: Context, message: Message): Download {
  const headers = fileHeaders('message/rfc822', `${message.id}.eml`);
  return new Download(headers, message.sizeBytes, () => readRaw(ctx, message));
}

/** Answers with a file of a message, which no browser treats as a page of ours. */
export function file({ contentType, filename, content }: Attachment): Download {
  return Download.of(content, fileHeaders(contentType, filename));
}

/**
 * Answers with an object whose field `name` lists the rows, or with the list alone if `name` is null. Whole mails are
 * rows, so they are read and written one at a time. `rest` returns the other fields once the number of rows is known.
 */
export function streamedRows(
  name: string | null,
  rows: AsyncIterable<object>,
  rest: (count: number) => object = () => ({}),
): Download {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return new Download(headers, null, async function* () {
    let count = 0;
    yield Buffer.from(name === null ? '[' : `{${JSON.stringify(name)}:[`);
    for await (const row of rows) {
      let between = count++ === 0 ? '' : ',';
      for (const piece of rowPieces(row)) {
        yield Buffer.from(between + piece);
        between = '';
        await setImmediate();
      }
    }
    const fields = JSON.stringify(rest(count)).slice(1, -1);
    yield Buffer.from(name === null ? ']' : `]${fields === '' ? '' : ','}${fields}}`);
  });
}

// The APIs of other catchers know one store of mail. Here it is the seeded workspace, with all of its mailboxes.

/** Returns the id of the seeded workspace. Throws `starting` before there is one. */
export async function seededWorkspaceId({ store }: Context): Promise<WorkspaceId> {
  const seeded = (await store.read.workspaces.list()).find((workspace) => workspace.seeded);
  if (seeded === undefined) throw refuse('starting');
  return seeded.id;
}

/** Matches the messages that nobody has read. */
export const UNREAD: Term = { kind: 'mark', what: 'unread', not: false };

/**
 * Returns the search for a text in a field, or in all if it is null; for an empty text the search for everything. Throws
 * `invalid_query` for one that is too long, which the request names `name`.
 */
export function textQuery(name: string, field: TextField | null, text: string): SearchQuery {
  if (text.length > MOST_CHARACTERS)
    throw refuse('invalid_query', { message: `${name} may have ${MOST_CHARACTERS} characters.`, position: 0 });
  return text === '' ? [] : [{ kind: 'text', field, not: false, text }];
}

/**
 * Finds a page by offset, in the seeded workspace unless another scope is given. Throws `shutting_down` if the stop of
 * the server cut it short.
 */
export async function pageAt(
  ctx: Context,
  exchange: Exchange,
  {
    isOldestFirst = false,
    ...page
  }: Pick<FoundAt, 'start' | 'limit'> &
    Partial<Pick<FoundAt, 'scope' | 'query'>> & { readonly isOldestFirst?: boolean },
): ReturnType<typeof findAt> {
  const scope = page.scope ?? { workspaceId: await seededWorkspaceId(ctx) };
  const asked = { query: [], ...page, scope, cancelSignal: exchange };
  const found = await (isOldestFirst ? findOldestAt : findAt)(ctx, asked);
  checkTimePassed(exchange);
  return found;
}

/** Returns a header field. If it repeats, the first one counts. */
export function headerOf({ headers }: Pick<ParsedMail, 'headers'>, name: string): string {
  const value = headers[name] ?? '';
  return typeof value === 'string' ? value : (value[0] ?? '');
}

/** The number of characters of HTML from which a text is made where a mail has none. */
const HTML_CHARACTERS = 64 * 1024;

/** Returns the text of a mail that has only HTML. */
export async function textOfHtml(html: string): Promise<string> {
  const { readableText } = await import('../../extract/readable-text.ts');
  return readableText(html.slice(0, HTML_CHARACTERS), () => null).text;
}

/**
 * Marks a message as read, as the other catchers do when they show one. A disk that refuses the mark does not hide the
 * message.
 */
export async function markRead(ctx: Context, { id, isRead }: Message, exchange: Exchange): Promise<void> {
  if (isRead) return;
  try {
    await markEach(ctx, [id], { read: true }, { cancelSignal: exchange });
  } catch (error) {
    if (!(error instanceof ApiError) || !REFUSED_BY_DISK.has(error.code)) throw error;
  }
}

const REFUSED_BY_DISK: ReadonlySet<ErrorCode> = new Set(['disk_full', 'storage_unavailable']);

/** Hands a message to the relay. Throws `invalid_to` with the first reply that refuses a recipient, after `before`. */
export async function relayMessage(
  ctx: Context,
  message: Message,
  to: string,
  exchange: Exchange,
  before = '',
): Promise<void> {
  const { outcomes } = await releaseMessage(ctx, message, to, exchange);
  const failed = [...outcomes.values()].find(({ kind }) => kind !== 'accepted');
  if (failed !== undefined) throw refuse('invalid_to', { message: `${before}${failed.reply}` });
}

/** Returns the tags of the seeded workspace. */
export async function seededTags(ctx: Context): Promise<WorkspaceTags> {
  return ctx.store.read.messages.tags(await seededWorkspaceId(ctx), momentNow(ctx.clock));
}

/** Finds a message of the seeded workspace, by `id`. */
export const seededMessage: Resolver<Anyone, Message> = ({ ctx, params }) => findSeededMessage(ctx, params['id'] ?? '');

/** Declares a route for one message of the seeded workspace, which `id` names. */
export function mailRoute(method: Method, path: string, handle: ForeignHandler<Message>): Endpoint<Anyone> {
  return foreignRoute(method, path, { resolve: seededMessage, handle });
}

/** Finds a message of the seeded workspace by `id`, which is its UUID or our own id. */
export const messageOfUuid: Resolver<Anyone, Message> = ({ ctx, params }) => {
  const { id = '' } = params;
  return findSeededMessage(ctx, ulidOfUuid<MessageId>(id) ?? id);
};

/** Declares a route for one message of the seeded workspace, which `id` names by its UUID or by our own id. */
export function uuidRoute(method: Method, path: string, handle: ForeignHandler<Message>): Endpoint<Anyone> {
  return foreignRoute(method, path, { resolve: messageOfUuid, handle });
}

/** Reads a message of the seeded workspace. Throws `not_found`. */
export async function findSeededMessage(ctx: Context, text: string, otherwise?: string): Promise<Message> {
  const id = parseUlid<MessageId>(text);
  const message = id === null ? null : await ctx.store.read.messages.get(id, momentNow(ctx.clock));
  if (message === null || message.workspaceId !== (await seededWorkspaceId(ctx)))
    throw refuse('not_found', otherwise === undefined ? {} : { message: otherwise });
  return message;
}

/**
 * Returns the schema of a JSON object whose keys may be written in any case: Mailpit is written in Go, which reads `ids`
 * as `IDs`, and clients rely on it. `schema` names its keys in lower case. The last one counts where two differ only
 * in their case, as in Go.
 */
export function anyCase<Schema extends z.ZodObject>(schema: Schema) {
  return z.preprocess((given) => {
    if (!isObject(given)) return given;
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [key.toLowerCase(), value]));
  }, schema);
}

/**
 * Lists the header fields of a mail as Go writes them: `Message-Id`, with every value still encoded, on one line. The
 * object has no prototype, because a sender chooses the names.
 */
export function headerFields(raw: Buffer): Record<string, string[]> {
  const fields: Record<string, string[]> = Object.create(null);
  for (const { name, value } of readFields(headerBlock(raw).block, null).fields) {
    const text = (isUtf8(value) ? value.toString() : value.toString('latin1')).replace(/\r?\n[ \t]*/g, ' ').trim();
    const key = name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
    const values = fields[key];
    if (values === undefined) fields[key] = [text];
    else values.push(text);
  }
  return fields;
}
