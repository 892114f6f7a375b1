import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { Readable, Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { comparableAddress } from '../domain/address.ts';
import type { ParsedAttachment, ParsedMail } from '../domain/parsed-mail.ts';
import { lazily } from '../lazily.ts';
import { readAddresses } from '../text/addresses.ts';
import { tellsNothing } from '../text/charset.ts';
import { addTo } from '../text/maps.ts';
import { type Field, headerBlock, isHeaderless, MAX_FIELDS, MAX_HEADER_BYTES, readFields } from './header-block.ts';
import { decodeHeader, lastText, listText, summaryTexts, WordBudget, withoutControls } from './header-text.ts';
import { importMailparser, libmime } from './late-packages.ts';
import type { PartHead } from './part.ts';
import { type Limit, MAX_DEPTH, MAX_PARTS, type Part, StructureReader } from './scan.ts';
import { decodedTransfer } from './transfer-encoding.ts';

export interface Parse {
  readonly mail: ParsedMail;
  /** The bytes of `mail.attachments`, in the same order. */
  readonly contents: readonly Buffer[];
}

/** Loads mailparser on first use. */
export const loadMailparser = lazily(importMailparser);

/**
 * Parses a mail in full. It never rejects because of the content: it then returns the known facts with `parseError`.
 * `onKnown` gets the facts of the header at once, in case the rest takes too long.
 */
export async function parseMail(raw: Buffer, onKnown?: (known: ParsedMail) => void): Promise<Parse> {
  const known = readKnown(raw);
  onKnown?.(known);
  const { limit, leaves } = outlineOf(raw);
  if (limit !== null) return { mail: { ...known, parseError: WHY[limit] }, contents: [] };
  // A parser that is missing is no error of the mail.
  const mailparser = await loadMailparser();
  try {
    const { contents, unread } = await readParts(mailparser, leaves);
    const files = leaves.flatMap((leaf, index) => {
      const content = contents[index];
      return Buffer.isBuffer(content) ? [{ described: describe(leaf, content), content }] : [];
    });
    const mail = {
      ...known,
      textBody: joined(leaves, contents, 'text', '\n'),
      htmlBody: joined(leaves, contents, 'html', '<br/>\n'),
      parseError: unread ?? known.parseError,
      attachments: files.map(({ described }) => described),
    };
    return { mail, contents: files.map(({ content }) => content) };
  } catch (error) {
    return { mail: { ...known, parseError: reasonOf(error) }, contents: [] };
  }
}

const WHY = {
  parts: `The mail has more than ${MAX_PARTS} parts.`,
  depth: `The mail is nested more than ${MAX_DEPTH} levels deep.`,
} as const;

function reasonOf(error: unknown): string {
  return withoutControls(error instanceof Error ? error.message : String(error)).slice(0, 1_000);
}

/** Joins the texts of a kind. Returns null if all are empty. */
function joined(
  leaves: readonly Leaf[],
  contents: readonly (string | Buffer)[],
  role: 'text' | 'html',
  between: string,
): string | null {
  const texts = leaves.flatMap((leaf, index) => {
    const content = contents[index];
    if (leaf.role !== role || typeof content !== 'string') return [];
    // A multipart that nothing divides may hold nothing but line breaks.
    return content === '' || (leaf.isUndivided && content.trim() === '') ? [] : [content];
  });
  return texts.length === 0 ? null : texts.join(between);
}

function describe({ head, isRelated, number }: Leaf, content: Buffer): ParsedAttachment {
  // A name is written in one of two forms, which look alike. Only one of them can be compared with a typed name.
  const filename = textOrNull(head.filename()?.normalize('NFC') ?? null);
  const contentId = textOrNull(head.contentId());
  return {
    part: number,
    filename,
    contentType: textOrNull(typeOf(head.type, filename)),
    contentId,
    isInline: head.disposition === 'inline' || (isRelated && contentId !== null && head.disposition !== 'attachment'),
    sizeBytes: content.length,
    virusScanStatus: holdsEicar(content) ? 2 : 0,
  };
}

/** Returns the type that the name of a file tells, if the part says no more than that it has bytes. */
function typeOf(type: string, filename: string | null): string {
  return type === 'application/octet-stream' && filename !== null ? libmime().detectMimeType(filename) || type : type;
}

function textOrNull(text: string | null): string | null {
  return text === null ? null : withoutControls(text) || null;
}

/** Reads the facts in the header of a mail. They are all that is known if its parts cannot be read. */
export function readKnown(raw: Buffer, parseError: string | null = null): ParsedMail {
  const { block, truncated } = headerBlock(raw);
  const read = readFields(block, null);
  const { fields } = read;
  const summary = summaryTexts(fields);
  const budget = new WordBudget();
  return {
    ...summary,
    bcc: listText(fields, 'bcc', budget),
    replyTo: lastText(fields, 'reply-to', budget),
    textBody: null,
    htmlBody: null,
    headers: headersOf(fields),
    toAndCc: addressesIn([summary.to, summary.cc]),
    attachments: [],
    parseError: parseError ?? whyTruncated(truncated, read.truncated),
  };
}

function whyTruncated(bytes: boolean, fields: boolean): string | null {
  if (bytes) return `The header is larger than ${MAX_HEADER_BYTES / 1024} KiB: the rest of it was not read.`;
  if (fields) return `The header has more than ${MAX_FIELDS} fields: the rest of them were not read.`;
  return null;
}

/** Groups the fields by name. The object has no prototype, because a sender may use names such as `__proto__`. */
function headersOf(fields: readonly Field[]): Record<string, string | readonly string[]> {
  const byName = new Map<string, string[]>();
  const budget = new WordBudget();
  for (const { name, value } of fields) {
    addTo(byName, name, decodeHeader(name, value, budget) ?? '');
  }
  const headers: Record<string, string | readonly string[]> = Object.create(null);
  for (const [name, texts] of byName) headers[name] = texts.length === 1 ? (texts[0] ?? '') : texts;
  return headers;
}

/** Returns the different addresses of the lists. A header of 250 KB may repeat one 50,000 times. */
function addressesIn(lists: readonly (string | null)[]): string[] {
  const addresses = lists
    .flatMap((list) => (list === null ? [] : readAddresses(list)))
    .flatMap(({ address }) => (address === '' ? [] : [comparableAddress(address)]));
  return [...new Set(addresses)];
}

/** A part that holds content, and no other parts. */
interface Leaf {
  /** The number of the part, as {@link ParsedAttachment} has it. */
  readonly number: string;
  readonly head: PartHead;
  readonly role: 'text' | 'html' | 'attachment';
  /** The body, still encoded. It is a view of the mail. */
  readonly body: Buffer;
  /** Tells whether it is in a multipart/related, at any depth. */
  readonly isRelated: boolean;
  /** Tells whether it is a multipart in which no boundary occurs. Its content is text. */
  readonly isUndivided: boolean;
}

/** The structure of a mail, found without decoding it. */
interface Outline {
  /** The number of parts, including the mail itself. */
  readonly parts: number;
  /** The limit at which reading stopped. Null if it did not. */
  readonly limit: Limit | null;
  /** The parts that hold content, in their order. */
  readonly leaves: readonly Leaf[];
}

/** Reads the structure of a mail in memory. It never throws. */
export function outlineOf(raw: Buffer): Outline {
  const parts: Part[] = [];
  const structure = new StructureReader({ onPart: (part) => parts.push(part) });
  structure.write(raw);
  structure.end();
  const numbers = numbersOf(parts);
  const leaves = parts.flatMap((part) => leafOf(raw, part, numbers.get(part) ?? ''));
  return { parts: structure.parts, limit: structure.limit, leaves };
}

/** Numbers the parts of each multipart from 1. */
function numbersOf(parts: readonly Part[]): Map<Part, string> {
  const numbers = new Map<Part, string>();
  const counts = new Map<Part, number>();
  for (const part of parts) {
    const { parent } = part;
    if (parent === null) {
      numbers.set(part, '0');
      continue;
    }
    const count = (counts.get(parent) ?? 0) + 1;
    counts.set(parent, count);
    numbers.set(part, parent.parent === null ? String(count) : `${numbers.get(parent)}.${count}`);
  }
  return numbers;
}

function leafOf(raw: Buffer, part: Part, number: string): Leaf[] {
  const { head, parent } = part;
  if (head === null || part.isDivided) return [];
  const isUndivided = head.role === 'multipart';
  const role = head.role === 'multipart' ? 'text' : head.role;
  return [{ number, head, role, body: bodyOf(raw, part), isRelated: isRelated(parent), isUndivided }];
}

function bodyOf(raw: Buffer, { from, to, isEnded, parent }: Part): Buffer {
  const body = raw.subarray(parent === null && isHeaderless(raw) ? 0 : from, Math.min(to, raw.length));
  if (!isEnded || body.at(-1) !== LF) return body;
  return body.subarray(0, body.at(-2) === CR ? -2 : -1);
}

function isRelated(parent: Part | null): boolean {
  for (let part = parent; part !== null; part = part.parent) {
    if (part.head?.type === 'multipart/related') return true;
  }
  return false;
}

const LF = 0x0a;
const CR = 0x0d;

/** The content of the parts of a mail. */
export interface Contents {
  /** The text of each text part, or the bytes of each attachment, in the order of the parts. */
  readonly contents: readonly (string | Buffer)[];
  /** The reason why a text was not read to its end. Null if all were. */
  readonly unread: string | null;
}

/** The undocumented parts of MailParser that this file uses. The tests of the parse fail if a release changes them. */
interface Inside {
  readonly tree: { readonly children: readonly TreeNode[] };
  readonly decoder: Decoders;
}

interface TreeNode {
  readonly textContent?: string;
}

const OPTIONS = {
  // MailParser derives nothing: no text from HTML, no HTML from text, and no links.
  skipHtmlToText: true,
  skipTextToHtml: true,
  skipTextLinks: true,
  skipImageLinks: true,
  checksumAlgo: false as const,
};

/** The transfer encodings that are decoded (RFC 2045 6). */
const ENCODINGS: ReadonlySet<string> = new Set(['base64', 'quoted-printable']);

/**
 * Decodes the parts of a mail with mailparser: transfer encodings and charsets. It rejects if mailparser
 * does. mailparser gets a flat multipart of these parts, whose headers say only how to decode them. So mailcap alone
 * decides which parts there are.
 */
async function readParts({ MailParser }: typeof import('mailparser'), leaves: readonly Leaf[]): Promise<Contents> {
  const encoded = leaves.filter((leaf) => !isReadyToUse(leaf));
  const parser = new MailParser({ ...OPTIONS, maxChildNodes: encoded.length + 1 });
  // These members are not in its types.
  const inside = parser as unknown as Inside;
  const charsets = capSlowCharsets(inside.decoder);
  const files: Promise<Buffer>[] = [];
  await new Promise<void>((resolve, reject) => {
    parser.on('error', reject);
    parser.on('end', resolve);
    parser.on('data', (data) => {
      if (data.type === 'attachment') files.push(collect(data, reject));
    });
    for (const piece of inLargePieces(flatMail(encoded))) parser.write(piece);
    parser.end();
  });
  const bytes = (await Promise.all(files)).values();
  const texts = inside.tree.children.values();
  const contents = leaves.map((leaf) => {
    if (isReadyToUse(leaf)) return Buffer.from(leaf.body);
    const { textContent = '' } = texts.next().value ?? {};
    if (leaf.role === 'attachment') return bytes.next().value ?? Buffer.alloc(0);
    return isFlowed(leaf) ? unflow(textContent, says(leaf, 'delsp', 'yes')) : textContent;
  });
  return { contents, unread: charsets.unread };
}

/** Tells whether a part is an attachment whose bytes are not encoded. */
function isReadyToUse({ role, head }: Leaf): boolean {
  return role === 'attachment' && !ENCODINGS.has(head.encoding);
}

/**
 * Writes the parts one after the other into one multipart. mailsplit, which reads it, may keep a line break at the end of
 * a part. So the last line of each part is encoded in a way that lets it end with one.
 */
function* flatMail(leaves: readonly Leaf[]): Generator<Buffer> {
  const boundary = boundaryFor(leaves);
  yield Buffer.from(`Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n`);
  for (const leaf of leaves) {
    yield Buffer.from(`--${boundary}\r\n${headOf(leaf)}\r\n\r\n`);
    const encoding = encodingOf(leaf);
    if (leaf.body.length === 0) continue;
    yield encoding === null ? Buffer.from(leaf.body.toString('base64')) : leaf.body;
    yield encoding === 'quoted-printable' ? SOFT_BREAK : CRLF;
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

const LARGE_BYTES = 64 * 1024;

/** Joins small pieces, because each write costs as much as parsing a small part. */
function* inLargePieces(pieces: Iterable<Buffer>): Generator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    held.push(piece);
    bytes += piece.length;
    if (bytes < LARGE_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    bytes = 0;
  }
  yield Buffer.concat(held);
}

const CRLF = Buffer.from('\r\n');
const SOFT_BREAK = Buffer.from('=\r\n');

/** Returns a boundary that is in none of the parts: nobody can write a text that contains its own hash. */
function boundaryFor(leaves: readonly Leaf[]): string {
  const hash = createHash('sha256');
  for (const { body } of leaves) hash.update(body);
  return hash.digest('hex');
}

/** The form of the name of a charset. */
export const CHARSET = /^[\w.:+-]{1,60}$/;

function headOf(leaf: Leaf): string {
  const encoding = `Content-Transfer-Encoding: ${encodingOf(leaf) ?? 'base64'}`;
  if (leaf.role === 'attachment') {
    return `Content-Type: application/octet-stream\r\nContent-Disposition: attachment\r\n${encoding}`;
  }
  const charset = charsetOf(leaf);
  const type = `text/plain${charset === null ? '' : `; charset=${charset}`}`;
  return `Content-Type: ${type}\r\n${encoding}`;
}

/** Returns the encoding to decode. Null if there is none. A multipart has no encoding of its own (RFC 2045 6.4). */
export function encodingOf({ head, isUndivided }: Leaf): string | null {
  return ENCODINGS.has(head.encoding) && !isUndivided ? head.encoding : null;
}

function says({ head }: Leaf, param: string, value: string): boolean {
  return head.param(param)?.trim().toLowerCase() === value;
}

function isFlowed(leaf: Leaf): boolean {
  return leaf.role === 'text' && !leaf.isUndivided && says(leaf, 'format', 'flowed');
}

/** Returns the charset of a text as its part names it, or null for UTF-8. */
function charsetOf(leaf: Leaf): string | null {
  const said = leaf.head.param('charset')?.trim() ?? '';
  if (!tellsNothing(said)) return CHARSET.test(said) ? said : null;
  const inHtml = leaf.role === 'html' ? charsetOfHtml(leaf.body, leaf.head.encoding) : null;
  if (inHtml !== null && !tellsNothing(inHtml)) return inHtml;
  return isLatin(decodedTransfer(leaf.body, encodingOf(leaf))) ? 'windows-1252' : null;
}

/** The bytes of a text that are counted at once. A list of all characters of a large text would not fit into memory. */
const COUNTED_BYTES = 64 * 1024;

/**
 * Tells whether bytes are rather Windows-1252 than UTF-8, as mail programs guess where no charset is named. A text that
 * was cut within a character stays UTF-8: it has more characters of UTF-8 than bytes that belong to none.
 */
function isLatin(bytes: Buffer): boolean {
  if (isUtf8(bytes)) return false;
  const decoder = new StringDecoder('utf8');
  let invalid = 0;
  let valid = 0;
  const count = (text: string) => {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === REPLACEMENT) invalid++;
      else if (code > ASCII && !isLowSurrogate(code)) valid++;
    }
  };
  for (let at = 0; at < bytes.length; at += COUNTED_BYTES) count(decoder.write(bytes.subarray(at, at + COUNTED_BYTES)));
  count(decoder.end());
  return invalid > valid;
}

const ASCII = 0x7f;
const REPLACEMENT = 0xfffd;

/** Tells whether a code unit is the second half of a character. */
function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

function collect(
  { content, release }: { content: Readable; release?: (() => void) | null },
  fail: (error: Error) => void,
): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    content.on('data', (chunk: Buffer) => chunks.push(chunk));
    content.on('error', fail);
    content.on('end', () => {
      resolve(Buffer.concat(chunks));
      release?.();
    });
  });
}

const QUOTES = /^>*/;
const SIGNATURE = '-- ';

/**
 * Joins the lines of a flowed text to its paragraphs (RFC 3676 4). A line that ends with a space goes on in the next one,
 * if both are quoted equally deep. An empty line always ends a paragraph. `delSp` deletes that last space. Empty lines
 * at the end are left out.
 */
function unflow(text: string, delSp: boolean): string {
  const paragraphs: string[] = [];
  let pieces: string[] = [];
  let depth = 0;
  const end = () => {
    if (pieces.length > 0) paragraphs.push(`${depth > 0 ? `${'>'.repeat(depth)} ` : ''}${pieces.join('')}`);
    pieces = [];
  };
  for (const line of text.split('\n')) {
    const quotes = QUOTES.exec(line)?.[0].length ?? 0;
    const stuffed = line.slice(quotes);
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed;
    const isFlowed = content.endsWith(' ') && content !== SIGNATURE;
    if (quotes !== depth || content === '' || content === SIGNATURE) end();
    depth = quotes;
    pieces.push(isFlowed && delSp ? content.slice(0, -1) : content);
    if (!isFlowed) end();
  }
  end();
  while (paragraphs.at(-1) === '') paragraphs.pop();
  return paragraphs.join('\n');
}

// The charset that an HTML part without one names in itself, as browsers find it (WHATWG HTML 13.2.3.2).

/** The number of bytes that browsers search for a declaration. */
const SEARCHED_BYTES = 1024;
/** The bytes that hold as many in any transfer encoding. */
const ENCODED_BYTES = 4 * SEARCHED_BYTES;

const META = /<meta\s[^<>]*>/gi;
const COMMENT = /<!--.*?(?:-->|$)/gs;
const META_CHARSET = /\bcharset\s*=\s*(?:"\s*|'\s*)?([\w.:+-]{1,60})/i;
/** These would make every second byte of the declaration a NUL. Browsers read UTF-8 instead. */
const TWO_BYTES = /^utf-?16(?:le|be)?$/i;

/** Returns the charset that the start of an HTML body declares. Null if it declares none. */
function charsetOfHtml(body: Buffer, encoding: string): string | null {
  const start = decodedTransfer(body.subarray(0, ENCODED_BYTES), encoding).subarray(0, SEARCHED_BYTES);
  const text = start.toString('latin1').replace(COMMENT, '');
  for (const [meta] of text.matchAll(META)) {
    const charset = META_CHARSET.exec(meta)?.[1];
    if (charset !== undefined) return TWO_BYTES.test(charset) ? 'utf-8' : charset;
  }
  return null;
}

// Most of 80 charsets decode a megabyte in 10 to 30 ms. Those with shift sequences take up to a second, so a mail full
// of shifts would take many seconds.

/** The number of bytes in such charsets that are read of one mail, over all parts. Only an attack has more. */
const MAX_SLOW_BYTES = 1024 * 1024;

const SLOW = /^(?:jis|iso-?2022)/i;

/** The part of MailParser that creates the decoder stream of a charset. */
interface Decoders {
  decodeStream(charset: string): Transform;
}

/** Limits the slow decoders to {@link MAX_SLOW_BYTES}. `unread` then holds the reason. */
function capSlowCharsets(decoders: Decoders): { readonly unread: string | null } {
  const told: { unread: string | null } = { unread: null };
  let left = MAX_SLOW_BYTES;
  const create = decoders.decodeStream.bind(decoders);
  decoders.decodeStream = (charset) => {
    const stream = create(charset);
    if (!SLOW.test(libmime().normalizeCharset(charset))) return stream;
    const transform = stream._transform.bind(stream);
    stream._transform = (chunk: Buffer, encoding, done) => {
      const fits = chunk.subarray(0, left);
      left -= fits.length;
      if (fits.length < chunk.length) told.unread ??= whyUnread(charset);
      if (fits.length > 0) transform(fits, encoding, done);
      else done();
    };
    return stream;
  };
  return told;
}

function whyUnread(charset: string): string {
  const name = withoutControls(charset).slice(0, 40);
  return `Text in ${name} takes long to decode: no more than ${MAX_SLOW_BYTES / 1024} KiB of it was read.`;
}

// The signature is split, so that virus scanners do not report this source file.
const EICAR = Buffer.from(
  [String.raw`X5O!P%@AP[4\PZX54(P^)7CC)7}$`, 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
);

/**
 * Tells whether the content holds the EICAR test file, which counts as infected without a scanner
 * (docs/contract.md#spf-and-virus-scan).
 */
function holdsEicar(content: Buffer): boolean {
  return content.includes(EICAR);
}
