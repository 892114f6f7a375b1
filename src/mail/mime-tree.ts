import { setImmediate } from 'node:timers/promises';
import { headerBlock, isBlank, isFold, lineEnd, readFields } from './header-block.ts';

/** A part of a mail with its place in the bytes, as IMAP shows it (RFC 3501 6.4.5). */
export interface MimeTreePart {
  /** Where its header begins, its body begins, and its body ends. */
  readonly from: number;
  readonly bodyFrom: number;
  to: number;
  /** The type in capitals, such as `TEXT` and `PLAIN`. */
  readonly type: string;
  readonly subtype: string;
  readonly params: readonly (readonly [name: string, value: string])[];
  readonly disposition: { readonly value: string; readonly params: readonly (readonly [string, string])[] } | null;
  /** Header fields as they are written, by lower-case name. */
  readonly fields: ReadonlyMap<string, string>;
  /** The parts of a multipart, or the one mail in a `message/rfc822`. */
  readonly children: MimeTreePart[];
  /** The line ends of its body. */
  lines: number;
}

const MAX_DEPTH = 30;
const MAX_PARTS = 2_000;
/** The bytes that are read before others have their turn. */
const BYTES_PER_TURN = 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** An open multipart, with the line that separates its parts. */
interface Open {
  readonly part: MimeTreePart;
  readonly delimiter: Buffer;
}

/**
 * Reads the parts of a mail in one pass over its lines. It never throws, and lets others run in between. Parts beyond a
 * depth or number stay in the part around them.
 */
export async function readMimeTree(raw: Buffer): Promise<MimeTreePart> {
  const open: Open[] = [];
  const root = readHead(raw, 0, 'text/plain', open);
  /** The parts that have not ended, the outermost first. */
  const unended: MimeTreePart[] = [root];
  let count = 1;
  /** Opens a part, and the mail in it. Returns where the first body begins that has to be searched. */
  const enter = (part: MimeTreePart): number => {
    for (let inner = part; ; ) {
      const delimiter = delimiterOf(inner);
      if (delimiter !== null) open.push({ part: inner, delimiter });
      if (inner.type !== 'MESSAGE' || inner.subtype !== 'RFC822' || unended.length >= MAX_DEPTH) return inner.bodyFrom;
      const mail = readHead(raw, inner.bodyFrom, 'text/plain', open);
      inner.children.push(mail);
      unended.push(mail);
      count++;
      inner = mail;
    }
  };
  const end = (from: number, at: number): void => {
    for (const part of unended.splice(from)) part.to = Math.max(part.bodyFrom, at);
  };
  let turn = 0;
  for (let at = enter(root); at < raw.length && open.length > 0; ) {
    if (at - turn > BYTES_PER_TURN) {
      turn = at;
      await setImmediate();
    }
    if (raw[at] === DASH && raw[at + 1] === DASH) {
      let next = lineEnd(raw, at);
      const index = open.findLastIndex(({ delimiter }) => isDelimiter(raw, at, delimiter));
      const found = open[index];
      if (found !== undefined) {
        // The line break before a delimiter belongs to it (RFC 2046 5.1.1).
        const before = raw[at - 1] === LF ? (raw[at - 2] === CR ? at - 2 : at - 1) : at;
        end(unended.indexOf(found.part) + 1, before);
        open.splice(index + 1);
        const isLast = raw[at + found.delimiter.length] === DASH && raw[at + found.delimiter.length + 1] === DASH;
        if (isLast) open.pop();
        else if (count < MAX_PARTS && unended.length < MAX_DEPTH) {
          const part = readHead(raw, next, found.part.subtype === 'DIGEST' ? 'message/rfc822' : 'text/plain', open);
          found.part.children.push(part);
          unended.push(part);
          count++;
          next = enter(part);
        }
      }
      at = next;
      continue;
    }
    const next = raw.indexOf('\n--', at);
    if (next < 0) break;
    // A long body is passed over at once, and counts as read.
    at = next + 1;
  }
  end(0, raw.length);
  await countLines(raw, root);
  return root;
}

/** Returns what separates the parts of a multipart. Null for any other part. */
function delimiterOf({ type, params }: Pick<MimeTreePart, 'type' | 'params'>): Buffer | null {
  const boundary = type === 'MULTIPART' ? params.find(([name]) => name === 'BOUNDARY')?.[1] : undefined;
  return boundary ? Buffer.from(`--${boundary}`, 'latin1') : null;
}

function isDelimiter(raw: Buffer, at: number, delimiter: Buffer): boolean {
  return raw.compare(delimiter, 0, delimiter.length, at, Math.min(raw.length, at + delimiter.length)) === 0;
}

async function countLines(raw: Buffer, part: MimeTreePart): Promise<void> {
  if (part.type === 'TEXT' || (part.type === 'MESSAGE' && part.subtype === 'RFC822')) {
    let turn = part.bodyFrom;
    for (let at = raw.indexOf(LF, part.bodyFrom); at >= 0 && at < part.to; at = raw.indexOf(LF, at + 1)) {
      part.lines++;
      if (at - turn < BYTES_PER_TURN) continue;
      turn = at;
      await setImmediate();
    }
  }
  for (const child of part.children) await countLines(raw, child);
}

/**
 * Reads the header of a part, which ends at an empty line, or before a delimiter of its own or of a multipart around it.
 * Its body lasts to the end until a delimiter ends it.
 */
function readHead(raw: Buffer, from: number, defaultType: string, around: readonly Open[]): MimeTreePart {
  const block = upToDelimiter(
    raw.subarray(from),
    around.map(({ delimiter }) => delimiter),
  );
  const head = readFieldsOf(block, from, raw, defaultType);
  const own = delimiterOf(head);
  const cut = own === null ? block : upToDelimiter(block, [own]);
  return cut.length === block.length ? head : readFieldsOf(cut, from, raw, defaultType);
}

/** Returns the header at the start of bytes, before the first line that is one of the delimiters. */
function upToDelimiter(bytes: Buffer, delimiters: readonly Buffer[]): Buffer {
  const isOne = (at: number) => delimiters.some((delimiter) => isDelimiter(bytes, at, delimiter));
  return headerBlock(bytes, (at) => bytes[at] === DASH && isOne(at)).block;
}

function readFieldsOf(block: Buffer, from: number, raw: Buffer, defaultType: string): MimeTreePart {
  const blank = from + block.length;
  const end = lineEnd(raw, blank);
  const bodyFrom = isBlank(raw, blank, end) ? end : blank;
  const fields = new Map<string, string>();
  for (const { name, value } of readFields(block, null).fields)
    if (!fields.has(name)) fields.set(name, unfolded(value));
  const [type, params] = mimeValue(fields.get('content-type') ?? defaultType);
  const [main = '', sub = ''] = type.toUpperCase().split('/');
  const isType = main !== '' && sub !== '';
  const given = fields.get('content-disposition');
  const disposition = given === undefined ? null : mimeValue(given);
  return {
    from,
    bodyFrom,
    to: raw.length,
    type: isType ? main : 'TEXT',
    subtype: isType ? sub : 'PLAIN',
    params: isType ? params : [],
    disposition:
      disposition === null || disposition[0] === '' ? null : { value: disposition[0], params: disposition[1] },
    fields,
    children: [],
    lines: 0,
  };
}

/** The longest value that is read, in characters. */
const MOST_CHARACTERS = 16 * 1024;

/** Returns the text of a field as latin1 in one line. */
export function unfolded(value: Buffer): string {
  const text = value.toString('latin1', 0, MOST_CHARACTERS);
  const trimmed = text.trim();
  // Most fields are one line.
  if (!/[\r\n\0]/.test(trimmed)) return trimmed;
  return text
    .replace(/\r?\n(?=[ \t])/g, '')
    .replace(/[\r\n\0]/g, ' ')
    .trim();
}

const TYPE = /^[^\s;()"]+/;
const PARAM = /;\s*([^\s=;"()]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gy;

/** Reads a value and its parameters as they are written, without decoding them. */
function mimeValue(text: string): [value: string, params: (readonly [string, string])[]] {
  const value = TYPE.exec(text)?.[0] ?? '';
  const params: (readonly [string, string])[] = [];
  PARAM.lastIndex = text.indexOf(';') < 0 ? text.length : text.indexOf(';');
  for (let found = PARAM.exec(text); found !== null && params.length < 100; found = PARAM.exec(text)) {
    params.push([(found[1] ?? '').toUpperCase(), found[2]?.replace(/\\(.)/g, '$1') ?? found[3] ?? '']);
    const gap = /\s*(?:\([^()]*\)\s*)?/y;
    gap.lastIndex = PARAM.lastIndex;
    gap.exec(text);
    PARAM.lastIndex = gap.lastIndex;
  }
  return [value, params];
}

/** Returns where the body of a mail begins, behind the empty line of its header. */
export function bodyStart(raw: Buffer): number {
  const at = headerBlock(raw).block.length;
  const end = lineEnd(raw, at);
  return isBlank(raw, at, end) ? end : at;
}

/** Lists the fields of a header with their bytes, which end with a line end. Names are in lower case. */
export function fieldsOf(header: Buffer): { readonly name: string; readonly bytes: Buffer }[] {
  const fields: { name: string; bytes: Buffer }[] = [];
  for (let at = 0; at < header.length; ) {
    let end = lineEnd(header, at);
    if (isBlank(header, at, end)) break;
    while (end < header.length && isFold(header[end] ?? 0)) end = lineEnd(header, end);
    const bytes = header.subarray(at, end);
    const colon = bytes.indexOf(':');
    if (colon > 0) fields.push({ name: bytes.toString('latin1', 0, colon).trim().toLowerCase(), bytes });
    at = end;
  }
  return fields;
}
