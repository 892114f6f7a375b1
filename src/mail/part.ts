import { isUtf8 } from 'node:buffer';
import { extname } from 'node:path';
import { getOrCreate } from '../text/maps.ts';
import type { Field } from './header-block.ts';
import { decodeHeader } from './header-text.ts';
import { libmime } from './late-packages.ts';

/** The parsed value of a MIME header field (RFC 2045 5.1). */
interface MimeValue {
  /** The value without parameters and comments, in its original case. */
  readonly value: string;
  /** Returns a parameter that has a text, decoded. Null if there is none. */
  param(name: string): string | null;
}

/** The text of a parameter, and whether it is decoded: RFC 2231 says how, so no encoded word of RFC 2047 is in it. */
interface Param {
  readonly text: string;
  readonly isDecoded: boolean;
}

/** One of the texts that RFC 2231 3 joins to one parameter. */
interface Segment {
  readonly text: string;
  readonly isEncoded: boolean;
}

const TYPE = /^\s*([a-z0-9!#$&.+^_/-]+)\s*(?=;|$)/iy;
const PARAM = /;\s*([a-z0-9_-]+)\s*=\s*(?:"([^"\\\r\n\x7f-\xff]*)"|([^\s";(\\\x7f-\xff]*))\s*(?=;|$)/iy;
const END = /;?\s*$/y;
const SECTION = /^([^*]+)(?:\*(0|[1-9]\d{0,3}))?(\*)?$/;
const CHARSET = /^([\w-]{0,60})'[^']*'/;
/** The parameters in which programs write encoded words, against RFC 2047 5. */
const NAMES: ReadonlySet<string> = new Set(['filename', 'name']);

/**
 * The number of bytes that are read. No valid value is longer, and a header full of parameters would take a tenth of a
 * second.
 */
const MAX_VALUE_BYTES = 16 * 1024;

/**
 * Parses a MIME value. It never throws. Comments are left out, quoted strings are unquoted, and parameters in pieces or
 * with percent signs are read as RFC 2231 says: a segment without an asterisk at its end is taken as it is. If a name
 * repeats, the first one counts, as in other parsers.
 */
export function parseMimeValue(value: Buffer): MimeValue {
  const bytes = value.subarray(0, MAX_VALUE_BYTES);
  return plain(bytes.toString('latin1')) ?? odd(bytes);
}

/** Reads a value that needs no decoding, as nearly all do. Returns null for any other. */
function plain(text: string): MimeValue | null {
  TYPE.lastIndex = 0;
  const type = TYPE.exec(text);
  if (type === null) return null;
  let at = TYPE.lastIndex;
  const params: [string, string][] = [];
  for (;;) {
    PARAM.lastIndex = at;
    const param = PARAM.exec(text);
    if (param === null) break;
    params.push([(param[1] ?? '').toLowerCase(), param[2] ?? param[3] ?? '']);
    at = PARAM.lastIndex;
  }
  END.lastIndex = at;
  if (!END.test(text)) return null;
  return {
    value: type[1] ?? '',
    param: (name) => {
      const found = params.find(([key]) => key === name)?.[1];
      return found ? withoutWords(name, found) : null;
    },
  };
}

function odd(bytes: Buffer): MimeValue {
  const text = (isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1')).replace(/(?:\r?\n|\r)[ \t]*/g, ' ');
  const [value = '', ...rest] = pieces(text);
  const params = joined(rest.map(keyAndText));
  return {
    value: unquoted(value),
    param: (name) => {
      const found = params.get(name);
      if (found === undefined || found.text === '') return null;
      return found.isDecoded ? found.text : withoutWords(name, found.text);
    },
  };
}

/** Splits a value at its semicolons and leaves out its comments, which may nest. Quoted strings stay as they are. */
function pieces(text: string): string[] {
  const found: string[] = [];
  // A comment that is never closed is none.
  const lastClose = text.lastIndexOf(')');
  let piece = '';
  let from = 0;
  let depth = 0;
  let isQuoted = false;
  // The last character of the piece that is no white space. A quoted string begins a text, and is never within one.
  let lastSign = '';
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (depth > 0) {
      if (char === '\\') at++;
      else if (char === '(') depth++;
      else if (char === ')' && --depth === 0) from = at + 1;
    } else if (isQuoted) {
      if (char === '\\') at++;
      else if (char === '"') isQuoted = false;
    } else if (char === '"' && (lastSign === '=' || lastSign === '')) {
      isQuoted = true;
      lastSign = char;
    } else if (char === '(' && at < lastClose) {
      piece += text.slice(from, at);
      depth = 1;
    } else if (char === ';') {
      found.push(piece + text.slice(from, at));
      piece = '';
      lastSign = '';
      from = at + 1;
    } else if (char !== ' ' && char !== '\t') lastSign = char;
  }
  if (depth === 0) piece += text.slice(from);
  found.push(piece);
  return found;
}

function keyAndText(piece: string): [key: string, text: string] {
  const equals = piece.indexOf('=');
  if (equals < 0) return [piece.trim().toLowerCase(), ''];
  return [piece.slice(0, equals).trim().toLowerCase(), unquoted(piece.slice(equals + 1))];
}

/** Removes the quotes of a quoted string, and the backslashes of its quoted pairs (RFC 5322 3.2.4). */
function unquoted(text: string): string {
  const bare = text.trim();
  if (!bare.startsWith('"')) return bare;
  const inner = bare.endsWith('"') && bare.length > 1 ? bare.slice(1, -1) : bare.slice(1);
  return inner.replace(/\\(.)/gs, '$1');
}

/** Joins the segments of each parameter in the order of their numbers (RFC 2231 3). A gap ends the parameter. */
function joined(params: readonly (readonly [key: string, text: string])[]): Map<string, Param> {
  const whole = new Map<string, Param>();
  const segments = new Map<string, Map<number, Segment>>();
  for (const [key, text] of params) {
    const [, name = key, number, star] = SECTION.exec(key) ?? [];
    if (number === undefined && star === undefined) {
      if (!whole.has(key)) whole.set(key, { text, isDecoded: false });
      continue;
    }
    const ofName = getOrCreate(segments, name, () => new Map<number, Segment>());
    const at = Number(number ?? 0);
    if (!ofName.has(at)) ofName.set(at, { text, isEncoded: star !== undefined });
  }
  for (const [name, ofName] of segments) {
    const text = decodeSegments(ofName);
    // The form of RFC 2231 counts over a plain one, which is for older programs (RFC 6266 4.3).
    if (text !== null) whole.set(name, { text, isDecoded: [...ofName.values()].some(({ isEncoded }) => isEncoded) });
  }
  return whole;
}

function decodeSegments(segments: ReadonlyMap<number, Segment>): string | null {
  const first = segments.get(0);
  if (first === undefined) return null;
  const charset = first.isEncoded ? CHARSET.exec(first.text) : null;
  const bytes: Buffer[] = [];
  for (let at = 0; ; at++) {
    const segment = segments.get(at);
    if (segment === undefined) break;
    const text = at === 0 && charset !== null ? segment.text.slice(charset[0].length) : segment.text;
    bytes.push(segment.isEncoded ? percentDecoded(text) : Buffer.from(text));
  }
  // A character may be divided between two segments, so all are decoded at once.
  return decodedAs(charset?.[1] || 'utf-8', Buffer.concat(bytes));
}

function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text).toString('latin1');
  return Buffer.from(
    bytes.replace(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

function decodedAs(charset: string, bytes: Buffer): string {
  if (isUtf8(bytes) && /^(?:utf-?8|us-ascii)$/i.test(charset)) return bytes.toString();
  return decodeWords(`=?${charset}?B?${bytes.toString('base64')}?=`);
}

function withoutWords(name: string, text: string): string {
  return NAMES.has(name) && text.includes('=?') ? decodeWords(text) : text;
}

function decodeWords(text: string): string {
  try {
    return libmime().decodeWords(text);
  } catch {
    return text;
  }
}

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
type PartRole = 'multipart' | 'text' | 'html' | 'attachment';

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
  return (value.includes('=?') ? decodeWords(value) : value).toLowerCase();
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
