import { extname } from 'node:path';
import type { Field } from './header-block.ts';
import { decodeHeader } from './header-text.ts';
import { libmime } from './libmime.ts';
import { type MimeValue, parseMimeValue } from './mime-value.ts';

/** The longest delimiter, in bytes. RFC 2046 5.1.1 allows boundaries of 70 characters. */
const MAX_BOUNDARY_BYTES = 1_000;
/** The number of boundaries that are tried for one multipart. */
const MAX_BOUNDARIES = 4;

const MEDIA_TYPE = /^[!-.0-~]+\/[!-~]*$/;
const UNDIVIDED_TYPE = /^\s*([!#$&-.0-9^_a-z]+\/[!#$&-+.0-9^_a-z-]*)[\s,]+/i;
const MAX_TYPE_BYTES = 16 * 1024;
const DEFAULT_TYPE = parseMimeValue(Buffer.from('text/plain'));

/** The place of a part in its multipart. */
export interface PartPlace {
  /** The subtype of the multipart, such as `mixed`. Null for the mail itself. */
  readonly multipart: string | null;
  /** Its index among the parts of the multipart, from 0. */
  readonly index: number;
}

/** The place of a mail itself. */
export const ROOT: PartPlace = { multipart: null, index: 0 };

/** What a part is for its reader (docs/contract.md#the-parts-of-a-mail). */
export type PartRole = 'multipart' | 'text' | 'html' | 'attachment';

/** The header of a part. */
export interface PartHead {
  readonly role: PartRole;
  /** The media type in lower case, without parameters. */
  readonly type: string;
  /** The delimiters of its inner parts: `--` and the boundary. A header that repeats may name several. */
  readonly delimiters: readonly Buffer[];
  /** The disposition in lower case. It is empty if the part has none. */
  readonly disposition: string;
  /** The transfer encoding in lower case. It is empty if the part names none. */
  readonly encoding: string;
  param(name: string): string | null;
  filename(): string | null;
  /** The Content-ID without its angle brackets. */
  contentId(): string | null;
}

/** Reads the header of a part. Its role depends on its place (RFC 8621 4.1.4). */
export function readPart(fields: readonly Field[], place: PartPlace): PartHead {
  const disposition = mimeValue(fields, 'content-disposition');
  const types = contentTypes(fields);
  const [type = impliedType(disposition, place)] = types;
  const mediaType = type.value.toLowerCase();
  const kind = disposition === null ? '' : dispositionOf(disposition);
  const filename = () => disposition?.param('filename') ?? type.param('name');
  return {
    role: roleOf(mediaType, kind, place, filename),
    type: mediaType,
    delimiters: mediaType.startsWith('multipart/') ? delimitersOf(types) : [],
    disposition: kind,
    encoding: encodingOf(fields),
    param: (name) => type.param(name),
    filename,
    contentId: () => contentIdOf(fields),
  };
}

function roleOf(type: string, disposition: string, place: PartPlace, filename: () => string | null): PartRole {
  if (type.startsWith('multipart/')) return 'multipart';
  if (type !== 'text/plain' && type !== 'text/html') return 'attachment';
  // A disposition that is unknown means attachment (RFC 2183 2.8).
  if (disposition !== '' && disposition !== 'inline') return 'attachment';
  const isBody = place.index === 0 || (place.multipart !== 'related' && filename() === null);
  if (!isBody) return 'attachment';
  return type === 'text/html' ? 'html' : 'text';
}

/** Returns the valid content types, of which the first counts. A type that is no media type means text (RFC 2045 5.2). */
function contentTypes(fields: readonly Field[]): MimeValue[] {
  const types = fields.filter(({ name }) => name === 'content-type').map(({ value }) => contentTypeOf(value));
  const valid = types.filter(({ value }) => MEDIA_TYPE.test(value));
  return types.length > 0 && valid.length === 0 ? [DEFAULT_TYPE] : valid;
}

/** Reads a content type. A semicolon that is missing after the media type, or a comma in its place, is taken as one. */
function contentTypeOf(bytes: Buffer): MimeValue {
  const type = parseMimeValue(bytes);
  if (MEDIA_TYPE.test(type.value)) return type;
  const text = bytes.toString('latin1', 0, MAX_TYPE_BYTES);
  const split = UNDIVIDED_TYPE.exec(text);
  return split === null ? type : parseMimeValue(Buffer.from(`${split[1]};${text.slice(split[0].length)}`, 'latin1'));
}

function mimeValue(fields: readonly Field[], name: string): MimeValue | null {
  const field = fields.find((candidate) => candidate.name === name);
  return field === undefined ? null : parseMimeValue(field.value);
}

/** Returns the content type of a part that does not declare one. */
function impliedType(disposition: MimeValue | null, place: PartPlace): MimeValue {
  const extension = extname(disposition?.param('filename') ?? '').slice(1);
  if (extension !== '') return parseMimeValue(Buffer.from(libmime().detectMimeType(extension)));
  if (disposition !== null && /^attachment$/i.test(disposition.value)) return typeOf('application/octet-stream');
  // RFC 2046 5.1.5.
  return place.multipart === 'digest' ? typeOf('message/rfc822') : DEFAULT_TYPE;
}

function typeOf(type: string): MimeValue {
  return parseMimeValue(Buffer.from(type));
}

function dispositionOf({ value }: MimeValue): string {
  if (!value.includes('=?')) return value.toLowerCase();
  try {
    return libmime().decodeWords(value).toLowerCase();
  } catch {
    return value.toLowerCase();
  }
}

function encodingOf(fields: readonly Field[]): string {
  const field = fields.find(({ name }) => name === 'content-transfer-encoding');
  return field === undefined ? '' : parseMimeValue(field.value).value.toLowerCase();
}

function contentIdOf(fields: readonly Field[]): string | null {
  const field = fields.find(({ name }) => name === 'content-id');
  if (field === undefined) return null;
  const text = decodeHeader('content-id', field.value) ?? '';
  return text.replace(/^<|>$/g, '').trim() || null;
}

function delimitersOf(types: readonly MimeValue[]): Buffer[] {
  const boundaries = new Set(types.map((type) => type.param('boundary')?.trimEnd() ?? '').filter((one) => one !== ''));
  return [...boundaries]
    .slice(0, MAX_BOUNDARIES)
    .map((boundary) => Buffer.from(`--${boundary}`))
    .filter(({ length }) => length <= MAX_BOUNDARY_BYTES);
}
