import { extname } from 'node:path';
import type { Field } from './header-block.ts';
import { libmime } from './libmime.ts';
import { type MimeValue, parseMimeValue } from './mime-value.ts';

/** The longest delimiter, in bytes. RFC 2046 5.1.1 allows boundaries of 70 characters. */
const MAX_BOUNDARY_BYTES = 1_000;

/** The content types that are shown as text unless marked as attachment. */
const BODIES: ReadonlySet<string> = new Set(['text/plain', 'text/html', 'message/delivery-status']);
const READABLE: ReadonlySet<string> = new Set(['', '7bit', '8bit', 'binary']);

/** The role of a part, as its header describes it. */
export interface PartRole {
  /** Tells whether it counts as an attachment: a file, or content that no mail program shows as text. */
  readonly isAttachment: boolean;
  readonly isMultipart: boolean;
  /** The delimiter of its inner parts: `--` and the boundary. */
  readonly delimiter: Buffer | null;
  /** Tells whether it is an inline message/rfc822, whose parts belong to this mail. */
  readonly holdsMail: boolean;
}

/** A part without header fields. */
const TEXT: PartRole = { isAttachment: false, isMultipart: false, delimiter: null, holdsMail: false };

/** Classifies a part as mailparser 3.9 does, so that the scan counts what the parse will yield. */
export function readPart(fields: readonly Field[], isRoot: boolean): PartRole {
  if (fields.length === 0) return TEXT;
  const disposition = mimeValue(fields, 'content-disposition');
  const type = mimeValue(fields, 'content-type') ?? parseMimeValue(Buffer.from(impliedType(disposition)));
  const contentType = type.value.toLowerCase().trim() || (isRoot ? 'text/plain' : '');
  const place = disposition === null ? '' : dispositionOf(disposition);
  const isMultipart = contentType.startsWith('multipart/');
  return {
    isMultipart,
    isAttachment: !isMultipart && (!BODIES.has(contentType) || !['', 'inline'].includes(place)),
    delimiter: delimiterOf(type.param('boundary')),
    holdsMail: contentType === 'message/rfc822' && place === 'inline' && READABLE.has(encodingOf(fields)),
  };
}

function mimeValue(fields: readonly Field[], name: string): MimeValue | null {
  const field = fields.find((candidate) => candidate.name === name);
  return field === undefined ? null : parseMimeValue(field.value);
}

/** Returns the content type of a part that does not declare one. */
function impliedType(disposition: MimeValue | null): string {
  const extension = extname(disposition?.param('filename') ?? '').slice(1);
  if (extension !== '') return libmime().detectMimeType(extension);
  return disposition !== null && /^attachment$/i.test(disposition.value) ? 'application/octet-stream' : 'text/plain';
}

function dispositionOf(disposition: MimeValue): string {
  const value = disposition.value.toLowerCase().trim();
  if (!value.includes('=?')) return value;
  try {
    return libmime().decodeWords(value);
  } catch {
    return value;
  }
}

function encodingOf(fields: readonly Field[]): string {
  const value = fields.find((field) => field.name === 'content-transfer-encoding')?.value.toString('latin1') ?? '';
  const open = value.indexOf('(');
  const close = value.lastIndexOf(')');
  const bare = open >= 0 && close > open ? value.slice(0, open) + value.slice(close + 1) : value;
  return bare.toLowerCase().trim();
}

function delimiterOf(boundary: string | null): Buffer | null {
  if (boundary === null) return null;
  const delimiter = Buffer.from(`--${boundary}`);
  return delimiter.length > MAX_BOUNDARY_BYTES ? null : delimiter;
}
