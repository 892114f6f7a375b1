import { readFields } from '../mail/header-block.ts';
import { type MimeTreePart, unfolded } from '../mail/mime-tree.ts';
import { readAddressesAndGroups } from '../text/addresses.ts';

// The answers of RFC 3501 section 7 that are made of a mail. They are written as latin1, a character for a byte.

const SAFE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]*$/;

/** Writes a string: quoted if it can be, or else as a literal. */
export function string(text: string): string {
  if (SAFE.test(text) && text.length < 1_000) return `"${text}"`;
  const bytes = text.replace(/\0/g, '');
  return `{${bytes.length}}\r\n${bytes}`;
}

function nstring(text: string | undefined | null): string {
  return text === undefined || text === null ? 'NIL' : string(text);
}

/** The addresses of a field that are written. */
const MOST_ADDRESSES = 500;

const ENVELOPE_FIELDS: ReadonlySet<string> = new Set(
  'date subject from sender reply-to to cc bcc in-reply-to message-id'.split(' '),
);
/** The first bytes of these fields. White space before a name is skipped. */
const ENVELOPE_STARTS: ReadonlySet<number> = new Set(Buffer.from('BbCcDdFfIiMmRrSsTt \t\r\v\f\xa0', 'latin1'));

/** Writes the envelope of the mail with these header bytes. */
export function envelope(header: Buffer): string {
  const fields = new Map<string, string>();
  for (const { name, value } of readFields(header, ENVELOPE_STARTS).fields)
    if (ENVELOPE_FIELDS.has(name) && !fields.has(name)) fields.set(name, unfolded(value));
  return envelopeOf(fields);
}

// envelope = "(" env-date SP env-subject SP env-from SP env-sender SP env-reply-to SP env-to SP env-cc SP env-bcc SP
//   env-in-reply-to SP env-message-id ")"
function envelopeOf(fields: ReadonlyMap<string, string>): string {
  const from = addresses(fields.get('from'));
  const orFrom = (list: string) => (list === 'NIL' ? from : list);
  const parts = [
    nstring(fields.get('date')),
    nstring(fields.get('subject')),
    from,
    orFrom(addresses(fields.get('sender'))),
    orFrom(addresses(fields.get('reply-to'))),
    addresses(fields.get('to')),
    addresses(fields.get('cc')),
    addresses(fields.get('bcc')),
    nstring(fields.get('in-reply-to')),
    nstring(fields.get('message-id')),
  ];
  return `(${parts.join(' ')})`;
}

// address = "(" addr-name SP addr-adl SP addr-mailbox SP addr-host ")"
function addresses(list: string | undefined): string {
  if (list === undefined || list === '') return 'NIL';
  const all = readAddressesAndGroups(list).slice(0, MOST_ADDRESSES);
  let inGroup = false;
  const written = all.map((one) => {
    // A group begins with its name as the mailbox, and ends with NIL.
    if ('group' in one) {
      inGroup = one.group !== null;
      return `(NIL NIL ${nstring(one.group)} NIL)`;
    }
    const { name, address } = one;
    // An empty group may have a comment.
    if (inGroup && address === '') return '';
    const at = address.lastIndexOf('@');
    const [mailbox, host] = at < 0 ? [address, ''] : [address.slice(0, at), address.slice(at + 1)];
    // A name without an address is shown as one, as others do: NIL would mean the begin of a group.
    return `(${name === '' ? 'NIL' : string(name)} NIL ${string(mailbox)} ${string(host)})`;
  });
  return written.length === 0 ? 'NIL' : `(${written.join('')})`;
}

/** Writes `BODYSTRUCTURE`, or `BODY` without the extensions. */
export function bodyStructure(part: MimeTreePart, hasExtensions: boolean): string {
  if (part.type === 'MULTIPART' && part.children.length > 0) {
    const children = part.children.map((child) => bodyStructure(child, hasExtensions)).join('');
    // body-ext-mpart = body-fld-param [SP body-fld-dsp [SP body-fld-lang [SP body-fld-loc]]]
    const more = hasExtensions ? ` ${params(part.params)} ${disposition(part)} ${languageAndLocation(part)}` : '';
    return `(${children} ${string(part.subtype)}${more})`;
  }
  const isMultipart = part.type === 'MULTIPART';
  // A multipart without a part can't be written as one.
  const [type, subtype] = isMultipart ? ['TEXT', 'PLAIN'] : [part.type, part.subtype];
  // body-fields = body-fld-param SP body-fld-id SP body-fld-desc SP body-fld-enc SP body-fld-octets
  const fields = [
    string(type),
    string(subtype),
    params(part.params),
    nstring(part.fields.get('content-id')),
    nstring(part.fields.get('content-description')),
    string(encodingOf(part)),
    String(part.to - part.bodyFrom),
  ];
  const [mail] = part.children;
  if (type === 'MESSAGE' && subtype === 'RFC822' && mail !== undefined)
    fields.push(envelopeOf(mail.fields), bodyStructure(mail, hasExtensions), String(part.lines));
  else if (type === 'TEXT') fields.push(String(part.lines));
  // body-ext-1part = body-fld-md5 [SP body-fld-dsp [SP body-fld-lang [SP body-fld-loc]]]
  if (hasExtensions) fields.push(nstring(part.fields.get('content-md5')), disposition(part), languageAndLocation(part));
  return `(${fields.join(' ')})`;
}

/** Returns the transfer encoding without what some programs write behind it. */
function encodingOf({ fields }: MimeTreePart): string {
  const given = fields.get('content-transfer-encoding') || '7BIT';
  return (/^[\w-]+(?=\s*[;(])/.exec(given)?.[0] ?? given).toUpperCase();
}

type Params = MimeTreePart['params'];

function params(list: Params): string {
  if (list.length === 0) return 'NIL';
  const written = joinedPieces(list).map(([name, value]) => `${string(name)} ${string(value)}`);
  return `(${written.join(' ')})`;
}

const PIECE = /^(.+)\*(0|[1-9]\d?)(\*?)$/;

/**
 * Joins the pieces of a parameter, because clients look for one: `name*0*` and `name*1` become `name*` (RFC 2231 3). If
 * one is missing, they stay as they are.
 */
function joinedPieces(list: Params): Params {
  const pieces = list.flatMap((param) => {
    const [, base, number, star] = PIECE.exec(param[0]) ?? [];
    return base === undefined ? [] : [{ param, base, number: Number(number), isEncoded: star === '*' }];
  });
  const joined = new Set<string>();
  return list.flatMap((param) => {
    const base = pieces.find((piece) => piece.param === param)?.base;
    if (base === undefined) return [param];
    if (joined.has(base)) return [];
    joined.add(base);
    const own = pieces.filter((piece) => piece.base === base).sort((one, other) => one.number - other.number);
    if (own.some(({ number }, at) => number !== at)) return own.map((piece) => piece.param);
    const isEncoded = own.some((piece) => piece.isEncoded);
    const text = own.map((piece) => (isEncoded && !piece.isEncoded ? percentEncoded(piece.param[1]) : piece.param[1]));
    return [[isEncoded ? `${base}*` : base, text.join('')] as const];
  });
}

/** Writes bytes as RFC 2231 writes those of an encoded parameter. */
function percentEncoded(text: string): string {
  return text.replace(/[^\w.~-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

function disposition({ disposition: given }: MimeTreePart): string {
  return given === null ? 'NIL' : `(${string(given.value)} ${params(given.params)})`;
}

function languageAndLocation({ fields }: MimeTreePart): string {
  return `${nstring(fields.get('content-language'))} ${nstring(fields.get('content-location'))}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Writes a time as `date-time`, in UTC. */
export function dateTime(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, '0');
  const day = `${String(date.getUTCDate()).padStart(2, ' ')}-${MONTHS[date.getUTCMonth()]}-${date.getUTCFullYear()}`;
  return `"${day} ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())} +0000"`;
}

/** Writes numbers as a sequence set: `1:3,5`. They are ascending. */
export function setOf(numbers: readonly number[]): string {
  const ranges: string[] = [];
  for (let at = 0; at < numbers.length; ) {
    let end = at;
    while (end + 1 < numbers.length && numbers[end + 1] === (numbers[end] ?? 0) + 1) end++;
    ranges.push(at === end ? String(numbers[at]) : `${numbers[at]}:${numbers[end]}`);
    at = end + 1;
  }
  return ranges.join(',');
}
