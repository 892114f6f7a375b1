import { type FoundCode, readCodes } from '../../extract/codes.ts';
import { type FoundLink, findLinks } from '../../extract/links.ts';
import { readListUnsubscribe } from '../../extract/list-unsubscribe.ts';
import { visibleText } from '../../extract/visible-text.ts';
import { readAddresses } from '../../text/addresses.ts';
import { attachmentFileName, numberedFileName } from '../../text/file-name.ts';
import { shorten } from '../../text/shorten.ts';
import { errorCode } from '../../text/unknown.ts';
import { isUrl } from '../../text/url.ts';
import type { CheckMessageQuery, LocalApi } from '../connection/calls.ts';
import type { Checks } from '../connection/local-resources.ts';
import type { AttachmentResponse, MessageDetailResponse } from '../connection/resources.ts';
import { after } from '../environment.ts';
import { ContentError, OptionError } from '../errors.ts';
import { filledText, oneOf } from '../options/check-options.ts';
import { type Bytes, failureReason } from '../transport/transport.ts';
import { located, locatedSync } from '../waiting/call-site.ts';
import type { AnyMessage } from './any-kind.ts';
import { type CodeOptions, chooseCode, chooseLink, type LinkFilter } from './choose.ts';

/** A received message. */
export interface Message {
  /** The id of the message on the server. */
  readonly id: string;
  /**
   * The sender: the From header, or else the envelope sender. If there is neither, its name is null and its address
   * empty.
   *
   * @example expect(message.from.address).toBe('noreply@shop.test');
   */
  readonly from: Address;
  /**
   * The recipients of the To header, or else those of the envelope.
   *
   * @example expect(message.to[0]?.address).toBe(mailbox.address);
   */
  readonly to: readonly Address[];
  /** The recipients of the Cc header. */
  readonly cc: readonly Address[];
  /** The recipients of the Bcc header, or else the envelope recipients that neither To nor Cc names. */
  readonly bcc: readonly Address[];
  /** The addresses of the Reply-To header. */
  readonly replyTo: readonly Address[];
  /** The decoded subject; null if there is none. */
  readonly subject: string | null;
  /** The decoded text part; null if there is none. */
  readonly text: string | null;
  /** The decoded HTML part; null if there is none. */
  readonly html: string | null;
  /**
   * The text that a person sees: the HTML without markup and hidden parts, or else the text part.
   *
   * @example expect(message.visibleText).toContain('Your order has shipped');
   */
  readonly visibleText: string;
  /**
   * The headers, by their lower-case names, with decoded values. The value is an array if a header repeats.
   *
   * @example expect(message.headers['list-unsubscribe']).toBeDefined();
   */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** The envelope sender (RFC 5321 MAIL FROM), which gets the bounces; null if there is none. */
  readonly envelopeFrom: string | null;
  /** The time of receipt, by the server's clock. */
  readonly receivedAt: Date;
  /** The size of the raw message in bytes. */
  readonly sizeBytes: number;
  /** The codes in the visible text, the likeliest first, each with the reason why it counts as a code. */
  readonly codes: readonly FoundCode[];
  /** The links in the order of the mail, each with its kind and the reason for the kind. */
  readonly links: readonly FoundLink[];
  /** The attachments, inline files included. */
  readonly attachments: readonly Attachment[];
  /**
   * Returns the code of the message. Throws a ContentError with the code `no_code` if there is none, an AmbiguityError
   * if several are equally likely, an OptionError for an invalid option.
   *
   * @example message.code({ length: 6 });
   */
  code(options?: CodeOptions): string;
  /**
   * Returns the link that the message asks its reader to follow, or the one that matches the filter. Throws a
   * ContentError with the code `no_link` if there is none, an AmbiguityError if several match, an OptionError for an
   * invalid filter.
   *
   * @example message.link('reset').searchParams.get('token');
   */
  link(filter?: LinkFilter): URL;
  /**
   * Returns the raw message, byte for byte. Throws a LocalOnlyError if the server has no local API.
   *
   * @example const eml = new TextDecoder().decode(await message.raw());
   */
  raw(): Promise<Bytes>;
  /**
   * Checks the message for faults that its readers would notice: support by mail clients, links, placeholders,
   * unsubscribing, accessibility, size, headers and authentication. Throws a LocalOnlyError if the server has no local
   * API, a RefusedError for an unknown client or rule.
   *
   * @example const { findings } = await message.checks({ clients: ['gmail', 'outlook'], allow: ['link-http'] });
   */
  checks(options?: CheckMessageQuery): Promise<Checks>;
  /**
   * Unsubscribes with one click (RFC 8058). It sends a POST to the https address of List-Unsubscribe, or to an http
   * address of this machine, and follows no redirect. Throws a ContentError with the code `no_one_click` if the headers
   * offer no one-click unsubscribe, and with `unsubscribe_failed` if the answer is not 2xx.
   *
   * @example await message.unsubscribe();
   */
  unsubscribe(): Promise<UnsubscribeResult>;
  /**
   * Tells the mail provider of the app that the reader opened the message: its webhooks get the event. Throws a
   * LocalOnlyError if the server has no local API, a RefusedError if the message did not come by a provider's API.
   *
   * @example await message.open();
   */
  open(): Promise<void>;
  /**
   * Tells the mail provider of the app that the reader clicked a link: its webhooks get the event. The link is a URL, or
   * chosen as by `link()`. It requests nothing of the link. Throws as `open()` and `link()` do.
   *
   * @example await message.click('reset');
   */
  click(link?: URL | LinkFilter): Promise<void>;
  /**
   * Deletes the message. Throws a LocalOnlyError if the server has no local API.
   *
   * @example await message.delete();
   */
  delete(): Promise<void>;
}

export function createMessage(
  detail: AnyMessage,
  local: Pick<LocalApi, 'getRawMessage' | 'getAttachment' | 'deleteMessage' | 'checkMessage' | 'recordInteraction'>,
): Message {
  const { id, subject, textBody: text, htmlBody: html } = detail;
  const mail = subject === null ? nameless(detail) : `"${subject}"`;
  const headers = headersOf(detail);
  // Codes and links are searched for only when they are asked for; most waits do not need them.
  const codes = once(() => readCodes({ subject, text, html }));
  const links = once(() => findLinks({ subject, text, html }, 'every'));
  const seen = once(() => (html === null ? (text ?? '') : visibleText(html).text));
  return {
    id,
    from: addressOf(detail.from),
    to: addressesOf(detail.to),
    cc: addressesOf(detail.cc),
    bcc: addressesOf(detail.bcc),
    replyTo: addressesOf(detail.replyTo),
    subject,
    text,
    html,
    get visibleText() {
      return seen();
    },
    headers,
    envelopeFrom: detail.envelopeFrom,
    receivedAt: new Date(detail.receivedAt),
    sizeBytes: detail.sizeBytes,
    get codes() {
      return codes().codes;
    },
    get links() {
      return links();
    },
    attachments: detail.attachments.map((attachment) => createAttachment(attachment, id, local)),
    code: locatedSync((options = {}) =>
      chooseCode(
        codes(),
        options,
        mail,
        () => [subject ?? '', seen(), text ?? ''],
        () => links().length,
      ),
    ),
    link: locatedSync((filter) => new URL(chooseLink(links(), filter, mail))),
    raw: located(() => local.getRawMessage(id)),
    checks: located((options) => local.checkMessage(id, options)),
    unsubscribe: located(() => unsubscribe(headers, mail)),
    open: located(async () => {
      await local.recordInteraction(id, { type: 'opened' });
    }),
    click: located(async (link) => {
      const href = link instanceof URL ? link.href : chooseLink(links(), link, mail);
      await local.recordInteraction(id, { type: 'clicked', link: href });
    }),
    delete: located(() => local.deleteMessage(id)),
  };
}

/** Returns a function that makes a value when it is first called. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Names a message without a subject: a text message by its words. */
function nameless({ id, kind, textBody }: Parameters<typeof createMessage>[0]): string {
  const words = (textBody ?? '').replace(/\s+/g, ' ').trim();
  return kind === 'sms' && words !== '' ? `the text message "${shorten(words, 80)}"` : `the message ${id}`;
}

function headersOf({ headersJson }: MessageDetailResponse): Message['headers'] {
  // docs/api.md#messages: the parsed headers as JSON text.
  return headersJson === null ? {} : (JSON.parse(headersJson) as Message['headers']);
}

/** One sender or recipient of a message. */
export interface Address {
  /** The decoded display name; null if there is none. */
  readonly name: string | null;
  /**
   * The address alone, such as `ada@x.test`. It is empty if the header has words but no address.
   *
   * @example expect(message.to[0]?.address).toBe(mailbox.address);
   */
  readonly address: string;
  /** Returns the name and the address as a header has them: `Ada <ada@x.test>`. */
  toString(): string;
}

/**
 * Reads an address header leniently, as the server does: a damaged name takes no other with it. A group is replaced by its
 * members. Returns an empty list
 * for null.
 */
export function addressesOf(header: string | null): Address[] {
  if (header === null) return [];
  return readAddresses(header).map(({ name, address }) => written(name === '' ? null : name, address));
}

/** Returns the first address of a header. Its name is null and its address empty if there is none. */
export function addressOf(header: string | null): Address {
  return addressesOf(header)[0] ?? written(null, '');
}

/** Tells whether a text is a complete address such as `ada@x.test`. A part such as `ada@` or `@x.test` is not. */
export function isWholeAddress(text: string): boolean {
  return /^[^\s@<>,;:"()]+@(?:[^\s@<>,;:"()]+\.[^\s@<>,;:"().\d][^\s@<>,;:"().]+\.?|localhost)$/.test(text.trim());
}

/** Converts an address to the form in which addresses are compared: lower case, with the domain as DNS has it. */
export function comparable(address: string): string {
  const lower = address.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  if (at < 0) return lower;
  const url = `http://${lower.slice(at + 1).replace(/\.$/, '')}`;
  return `${lower.slice(0, at).normalize('NFC')}@${isUrl(url) ? new URL(url).hostname : lower.slice(at + 1)}`;
}

/** Creates a plain object. Its `toString` is not enumerable, so that two equal addresses compare as equal. */
function written(name: string | null, address: string): Address {
  return Object.defineProperty({ name, address }, 'toString', { value: () => write(name, address) });
}

function write(name: string | null, address: string): string {
  if (name === null) return address;
  const safe = /["(),:;<>@[\\\]]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name;
  return address === '' ? safe : `${safe} <${address}>`;
}

/**
 * A file of a message. Only a local server returns its bytes; with any other server each call throws a LocalOnlyError.
 */
export interface Attachment extends AttachmentResponse {
  /**
   * Returns the decoded bytes of the file.
   *
   * @example const pdf = await attachment.content();
   */
  content(): Promise<Bytes>;
  /**
   * Writes the file and returns its path. A path with a slash at its end is a directory. There the file gets a safe form
   * of its own name, and a number if the name is taken. Any other path is a file, which it replaces. It follows no link
   * to a file, and creates missing directories. It works in Node, Deno and Bun only.
   *
   * @example const path = await attachment.saveTo('downloads/');
   */
  saveTo(path: string): Promise<string>;
  /**
   * Returns the hash of the bytes in lower-case hex. The algorithm is SHA-256 if left out.
   *
   * @example expect(await attachment.checksum()).toBe(sha256(invoice));
   */
  checksum(algorithm?: 'SHA-1' | 'SHA-256' | 'SHA-512'): Promise<string>;
}

function createAttachment(
  facts: AttachmentResponse,
  messageId: string,
  local: Pick<LocalApi, 'getAttachment'>,
): Attachment {
  const content = () => local.getAttachment(messageId, facts.id);
  return {
    ...facts,
    content: located(content),
    saveTo: located(async (path: string) => {
      filledText('The path', path);
      const bytes = await content();
      if (/[\\/]$/.test(path)) return saveInto(path, facts.filename ?? facts.id, bytes);
      await saveAs(path, bytes);
      return path;
    }),
    checksum: located(async (algorithm: 'SHA-1' | 'SHA-256' | 'SHA-512' = 'SHA-256') => {
      oneOf('SHA-1', 'SHA-256', 'SHA-512')('The algorithm', algorithm);
      const hash = new Uint8Array(await crypto.subtle.digest(algorithm, await content()));
      return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }),
  };
}

const TRIES = 1_000;
const REPLACE_TRIES = 20;

/**
 * Writes bytes into a directory under a safe form of a sender's file name. It never overwrites a file or follows a link:
 * it adds a number until the name is free. Creates missing directories. Returns the path.
 */
export async function saveInto(directory: string, name: string, bytes: Uint8Array): Promise<string> {
  const { mkdir, writeFile, join } = fileSystem();
  const safe = attachmentFileName(name);
  await mkdir(directory, { recursive: true });
  for (let number = 1; number <= TRIES; number++) {
    const path = join(directory, number === 1 ? safe : numberedFileName(safe, number));
    try {
      await writeFile(path, bytes, { flag: 'wx' });
      return path;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  throw new OptionError(`There are already ${TRIES} files with the name ${safe} in ${directory}.`);
}

/** Writes bytes to the file that the caller names, and replaces a file or a link there. Never follows a link to a file. */
async function saveAs(file: string, bytes: Uint8Array): Promise<void> {
  const { mkdir, stat, rm, writeFile, dirname } = fileSystem();
  await mkdir(dirname(file), { recursive: true });
  const target = await stat(file).catch(() => null);
  // A device or a pipe, such as /dev/stdout, is written to. A directory is an error.
  if (target !== null && !target.isFile()) return writeFile(file, bytes);
  for (let attempt = 1; ; attempt++) {
    await rm(file, { force: true });
    try {
      return await writeFile(file, bytes, { flag: 'wx' });
    } catch (error) {
      // Another call has written the same file since.
      if (!isTaken(error) || attempt === REPLACE_TRIES) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  return errorCode(error) === 'EEXIST';
}

function fileSystem() {
  const builtin = globalThis.process?.getBuiltinModule;
  if (builtin === undefined) throw new OptionError('saveTo needs a file system, and this runtime has none.');
  return { ...builtin('node:fs/promises'), ...builtin('node:path') };
}

/** The answer to a one-click unsubscribe. */
export interface UnsubscribeResult {
  /** The address that the POST went to. */
  readonly url: URL;
  /** The status of the answer, from 200 to 299. */
  readonly status: number;
}

/** The time in milliseconds that the address has to answer. */
const ANSWER_MS = 10_000;

type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Unsubscribes as a mail program does (RFC 8058 3.2). `mail` names the message in errors. */
export async function unsubscribe(headers: Headers, mail: string): Promise<UnsubscribeResult> {
  const header = first(headers['list-unsubscribe']);
  const post = first(headers['list-unsubscribe-post']);
  const { web, isOneClick } = readListUnsubscribe(header, post);
  if (web === null || !isOneClick) throw noOneClick(header, post, mail);
  const late = new AbortController();
  const stop = after(ANSWER_MS, () => late.abort(new Error(`no answer within ${ANSWER_MS / 1_000} seconds`)));
  try {
    const { status, body } = await fetch(web, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
      // RFC 8058 3.1: no cookies, and no redirect, because it would turn the POST into something else.
      credentials: 'omit',
      redirect: 'manual',
      signal: late.signal,
    });
    await body?.cancel();
    if (status < 200 || status > 299) throw failed(mail, web, `answered ${status}`);
    return { url: new URL(web), status };
  } catch (error) {
    if (error instanceof ContentError) throw error;
    throw failed(mail, web, 'did not answer', error);
  } finally {
    stop();
  }
}

function noOneClick(header: string | null, post: string | null, mail: string): ContentError {
  return new ContentError(
    'no_one_click',
    `${mail} offers no one-click unsubscribe: List-Unsubscribe is ${shownHeader(header)}, List-Unsubscribe-Post is ${shownHeader(post)}.`,
    {
      hint: 'It needs the headers List-Unsubscribe: <https://…> and List-Unsubscribe-Post: List-Unsubscribe=One-Click (RFC 8058).',
    },
  );
}

function failed(mail: string, url: string, what: string, cause?: unknown): ContentError {
  const reason = cause instanceof Error ? ` (${failureReason(cause)})` : '';
  return new ContentError('unsubscribe_failed', `${mail} could not be unsubscribed: ${url} ${what}${reason}.`, {
    cause,
  });
}

function shownHeader(text: string | null): string {
  return text === null ? 'missing' : JSON.stringify(text.slice(0, 200));
}

function first(value: string | readonly string[] | undefined): string | null {
  return (typeof value === 'string' ? value : value?.[0]) ?? null;
}
