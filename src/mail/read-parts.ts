import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { unflow } from './flowed.ts';
import { charsetOfHtml } from './html-charset.ts';
import { loadMailparser } from './mailparser.ts';
import type { Leaf } from './outline.ts';
import { capSlowCharsets, type Decoders } from './slow-charsets.ts';

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
export async function readParts(leaves: readonly Leaf[]): Promise<Contents> {
  const { MailParser } = await loadMailparser();
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

const CHARSET = /^[\w.:+-]{1,60}$/;

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
function encodingOf({ head, isUndivided }: Leaf): string | null {
  return ENCODINGS.has(head.encoding) && !isUndivided ? head.encoding : null;
}

function says({ head }: Leaf, param: string, value: string): boolean {
  return head.param(param)?.trim().toLowerCase() === value;
}

function isFlowed(leaf: Leaf): boolean {
  return leaf.role === 'text' && !leaf.isUndivided && says(leaf, 'format', 'flowed');
}

function charsetOf(leaf: Leaf): string | null {
  const said = leaf.head.param('charset')?.trim() ?? '';
  if (said !== '') return CHARSET.test(said) ? said : null;
  return leaf.role === 'html' ? charsetOfHtml(leaf.body, leaf.head.encoding) : null;
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
