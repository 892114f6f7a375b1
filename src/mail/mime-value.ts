import { isUtf8 } from 'node:buffer';
import { libmime } from './libmime.ts';

/** The value of a MIME header (RFC 2045 5.1) taken apart, as mailparser takes it. */
export interface MimeValue {
  readonly value: string;
  param(name: string): string | null;
}

const NOTHING: MimeValue = { value: '', param: () => null };
const TYPE = /^\s*([a-z0-9!#$&.+^_/-]+)\s*(?=;|$)/iy;
const PARAM = /;\s*([a-z0-9_-]+)\s*=\s*(?:"([^"\\\r\n\x7f-\xff]*)"|([^\s";\\\x7f-\xff]*))\s*(?=;|$)/iy;
const END = /;?\s*$/y;

/** No sound value has more. What is behind it is not read, or a header of parameters would take a tenth of a second. */
const MAX_VALUE_BYTES = 16 * 1024;

/** Never throws. What is not plain (comments, escapes, continuations, raw bytes) is left to libmime, as mailparser does. */
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
