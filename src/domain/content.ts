import { isUtf8 } from 'node:buffer';

// Our response headers hold values that others wrote: media types and filenames of a mail, the headers of an answer that a
// test asked for. We rebuild types and filenames from parsed parts, and never copy them.

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}$/;

/** Returns the media type in lower case without parameters, or `fallback` if it is invalid. */
export function mediaTypeOr(contentType: string | null, fallback: string): string {
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  return MEDIA_TYPE.test(type) ? type : fallback;
}

const LONGEST_FILENAME = 200;

/**
 * Writes a Content-Disposition (RFC 6266) with an ASCII name and, if they differ, the exact name in RFC 8187 form. It
 * removes paths and control characters.
 */
export function attachmentDisposition(filename: string | null): string {
  const name = [...lastSegment(filename ?? '')]
    .slice(0, LONGEST_FILENAME)
    .join('')
    .replace(/\p{Surrogate}/gu, '\ufffd');
  if (name === '' || name === '.' || name === '..') return 'attachment; filename="attachment"';
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, percent);
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function lastSegment(filename: string): string {
  const segment = filename.split(/[/\\]/).at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is dropped
  return segment.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '').trim();
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Decodes a header value with one character per byte: as UTF-8 if it is valid, or else as Latin-1. */
export function utf8OrLatin1(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Tells whether a header field frames a message. Only the server may set it. */
export function framesMessage(name: string): boolean {
  return FRAMING.has(name.toLowerCase());
}
