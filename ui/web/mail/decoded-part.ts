import { tellsNothing } from '../../../src/text/charset.ts';
import { latin1Text, type MimePart, mimeTree } from './mail-source.ts';

/** Returns whether the body of a part is written in other signs than its content. */
export function hasCodedBody({ encoding }: Pick<MimePart, 'encoding'>): boolean {
  return encoding === 'base64' || encoding === 'quoted-printable';
}

/** Returns the text of a part as people read it. Null if the part is no text, or its encoding is unknown. */
export function decodedText({ type, encoding, charset, body }: MimePart): string | null {
  if (!type.startsWith('text/') && type !== 'message/delivery-status') return null;
  const bytes = bytesOf(body, encoding);
  return bytes === null ? null : textOf(bytes, charset);
}

/** The text of a file, and how its charset was found. */
export interface FileText {
  readonly text: string;
  /** The charset that was guessed, and why. Null if the file names the charset, or has only ASCII, as most charsets do. */
  readonly guess: { readonly charset: string; readonly why: string } | null;
}

/** Decodes a file by the charset that its part names. Else it is UTF-8 or, as a file that is not, Windows-1252. */
export function fileTextIn(bytes: Uint8Array, named: string | null): FileText {
  const charset = named?.trim() ?? '';
  if (!tellsNothing(charset) && isKnownCharset(charset))
    return { text: new TextDecoder(charset).decode(bytes), guess: null };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), guess: null };
  const why = tellsNothing(charset) ? 'The mail names no charset' : `The browser does not know the charset ${charset}`;
  if (bytes.every((byte) => byte < 0x80))
    return { text: textOf(bytes, null), guess: tellsNothing(charset) ? null : { charset: 'UTF-8', why } };
  try {
    // The end may be within a character, because only the beginning of a large file is read.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return { text, guess: { charset: 'UTF-8', why } };
  } catch {
    return { text: textOf(bytes, 'windows-1252'), guess: { charset: 'Windows-1252', why } };
  }
}

/** Returns the charset that the part of a file names. `source` holds the bytes of the mail. */
export function charsetOfFile(source: Uint8Array, file: Uint8Array): string | null {
  const content = unspaced(file);
  const found = leavesOf(mimeTree(latin1Text(source))).find(({ charset, encoding, body }) => {
    const bytes = charset === null ? null : bytesOf(body, encoding);
    return bytes !== null && unspaced(bytes) === content;
  });
  return found?.charset ?? null;
}

/** Returns content without white space, which the transfer of a part may change. */
function unspaced(bytes: Uint8Array): string {
  return latin1Text(bytes).replace(/[ \t\r\n]+/g, '');
}

function leavesOf(part: MimePart): MimePart[] {
  return part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf);
}

/** Decodes the body of a part, which has one character for each byte of it. */
function bytesOf(body: string, encoding: string | null): Uint8Array | null {
  if (encoding === 'base64') return fromBase64(body);
  if (encoding === 'quoted-printable') return toBytes(fromQuotedPrintable(body));
  return encoding === null || /^(?:7bit|8bit|binary)$/.test(encoding) ? toBytes(body) : null;
}

/** Decodes base64. What stands behind padding was encoded on its own, as of lines that a program encoded one by one. */
function fromBase64(body: string): Uint8Array {
  const pieces = body.replace(/[^A-Za-z0-9+/=]/g, '').split(/=+/);
  // One sign alone has six bits, which are no byte.
  return toBytes(pieces.map((piece) => atob(piece.length % 4 === 1 ? piece.slice(0, -1) : piece)).join(''));
}

/** Decodes quoted-printable (RFC 2045 6.7). What is no code stays as it is. */
function fromQuotedPrintable(body: string): string {
  const lines = body.split(/\r?\n/).map((line) => line.trimEnd());
  return lines
    .join('\n')
    .replaceAll('=\n', '')
    .replace(/=([0-9a-f]{2})/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function toBytes(binary: string): Uint8Array {
  return Uint8Array.from(binary, (sign) => sign.charCodeAt(0));
}

/** A text without a charset, or in one that the browser does not know, is read as UTF-8. */
function textOf(bytes: Uint8Array, charset: string | null): string {
  return new TextDecoder(charset !== null && isKnownCharset(charset) ? charset : 'utf-8').decode(bytes);
}

/** Returns whether the browser can read a charset. */
export function isKnownCharset(charset: string): boolean {
  try {
    return new TextDecoder(charset).encoding !== '';
  } catch {
    return false;
  }
}
