import type { MimePart } from './mail-source.ts';

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
