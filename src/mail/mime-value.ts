import { isUtf8 } from 'node:buffer';
import { libmime } from './libmime.ts';

/** The parsed value of a MIME header field (RFC 2045 5.1), as mailparser reads it. */
export interface MimeValue {
  readonly value: string;
  param(name: string): string | null;
}

const NOTHING: MimeValue = { value: '', param: () => null };
const TYPE = /^\s*([a-z0-9!#$&.+^_/-]+)\s*(?=;|$)/iy;
const PARAM = /;\s*([a-z0-9_-]+)\s*=\s*(?:"([^"\\\r\n\x7f-\xff]*)"|([^\s";\\\x7f-\xff]*))\s*(?=;|$)/iy;
const END = /;?\s*$/y;

/**
 * The number of bytes that are read. No valid value is longer, and a header full of parameters would take a tenth of a
 * second.
 */
const MAX_VALUE_BYTES = 16 * 1024;

/**
 * Parses a MIME value. It never throws. It leaves comments, escapes, continuations and raw bytes to libmime, as
 * mailparser does.
 */
export function parseMimeValue(value: Buffer): MimeValue {
  const bytes = value.subarray(0, MAX_VALUE_BYTES);
  return plain(bytes.toString('latin1')) ?? odd(bytes);
}

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
  return { value: type[1] ?? '', param: (name) => params.findLast(([key]) => key === name)?.[1] || null };
}

function odd(bytes: Buffer): MimeValue {
  try {
    const text = isUtf8(bytes) ? bytes.toString() : bytes.toString('latin1');
    const { value, params } = libmime().parseHeaderValue(text.replace(/(?:\r?\n|\r)[ \t]*/g, ' ').trim());
    return {
      value: value || '',
      param: (name) => (Object.hasOwn(params, name) ? (params[name] ?? null) : null) || null,
    };
  } catch {
    return NOTHING;
  }
}
