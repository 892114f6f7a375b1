// Mail as a caller of sendmail writes it, made what goes over SMTP: recipients found, Bcc taken out, lines ended by CRLF.
// Bytes are held as latin1 text, which keeps each as it is.

export interface Prepared {
  readonly recipients: readonly string[];
  /** Ends with CRLF; not dot-stuffed. */
  readonly message: Buffer;
}

export interface Sender {
  /** The envelope's, without angle brackets. */
  readonly address: string;
  readonly fullName: string | null;
  /** What an address without a domain is at. */
  readonly host: string;
  readonly now: Date;
  /** What no other message has. */
  readonly uniqueName: string;
}

interface Field {
  readonly name: string;
  /** As written, folded lines and all. */
  readonly text: string;
}

const FIELD = /^([!-9;-~]+)[ \t]*:/;
const RECIPIENT_FIELDS = new Set(['to', 'cc', 'bcc', 'resent-to', 'resent-cc', 'resent-bcc']);

/** Up to a line that is one dot alone, unless dots are ignored. */
export function untilDot(input: Buffer): Buffer {
  const text = input.toString('latin1');
  const end = /(?:^|\n)\.\r?(?:\n|$)/.exec(text);
  if (end === null) return input;
  return input.subarray(0, end.index + (end[0].startsWith('\n') ? 1 : 0));
}

export function prepare(input: Buffer, given: readonly string[], readsRecipients: boolean, sender: Sender): Prepared {
  const { fields, body } = split(input.toString('latin1').replace(/\r?\n/g, '\r\n'));
  const named = readsRecipients ? fields.filter(({ name }) => RECIPIENT_FIELDS.has(name)).flatMap(addressesOf) : [];
  const recipients = [...new Set([...given.flatMap(addressesIn), ...named].map((one) => qualified(one, sender.host)))];
  const kept = readsRecipients ? fields.filter(({ name }) => name !== 'bcc' && name !== 'resent-bcc') : fields;
  const header = [...kept.map(({ text }) => text), ...missing(kept, sender)].join('');
  const text = `${header}\r\n${body}`;
  return { recipients, message: Buffer.from(/\r\n$/.test(text) ? text : `${text}\r\n`, 'latin1') };
}

/** `root` is root at this machine. */
export function qualified(address: string, host: string): string {
  return address === '' || address.includes('@') ? address : `${address}@${host}`;
}

/** The header's fields, and what follows it. A first line that is no field begins the body, as sendmail has it. */
function split(text: string): { fields: Field[]; body: string } {
  const fields: Field[] = [];
  let at = 0;
  while (at < text.length) {
    const end = text.indexOf('\r\n', at);
    const next = end === -1 ? text.length : end + 2;
    const line = text.slice(at, next);
    if (line === '\r\n') return { fields, body: text.slice(next) };
    const last = fields.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined)
      fields[fields.length - 1] = { ...last, text: last.text + ended(line) };
    else {
      const name = FIELD.exec(line)?.[1];
      if (name === undefined) {
        // mbox programs hand the line over that divides messages.
        if (fields.length > 0 || !/^>?From /.test(line)) break;
      } else fields.push({ name: name.toLowerCase(), text: ended(line) });
    }
    at = next;
  }
  return { fields, body: text.slice(at) };
}

function ended(line: string): string {
  return line.endsWith('\r\n') ? line : `${line}\r\n`;
}

/** What every mail has, and its writer left to sendmail (RFC 5322 3.6; Message-ID should be there). */
function missing(fields: readonly Field[], { address, fullName, host, now, uniqueName }: Sender): string[] {
  const has = (name: string) => fields.some((field) => field.name === name);
  const from = fullName === null ? address : `${phrase(fullName)} <${address}>`;
  return [
    ...(has('from') || address === '' ? [] : [`From: ${from}\r\n`]),
    ...(has('date') ? [] : [`Date: ${now.toUTCString().replace('GMT', '+0000')}\r\n`]),
    ...(has('message-id') ? [] : [`Message-ID: <${uniqueName}@${host}>\r\n`]),
  ];
}

/** A name as it may stand before an address. The bytes of another script stay as they came. */
function phrase(name: string): string {
  const bytes = Buffer.from(name.replace(/[\r\n\0]+/g, ' '), 'utf8').toString('latin1');
  return /^[\w !#$%&'*+/=?^`{|}~\u0080-\u00ff-]*$/.test(bytes) ? bytes : `"${bytes.replace(/["\\]/g, '\\$&')}"`;
}

function addressesOf({ text }: Field): string[] {
  return addressesIn(text.slice(text.indexOf(':') + 1));
}

/** The addresses of a list as people write one: names, quotes, comments and groups left out (RFC 5322 3.4). */
export function addressesIn(list: string): string[] {
  const addresses: string[] = [];
  let plain = '';
  let angle: string | null = null;
  const finish = () => {
    const address = (angle ?? plain).replace(/\s+/g, '');
    if (address !== '') addresses.push(address);
    plain = '';
    angle = null;
  };
  for (let at = 0; at < list.length; at++) {
    const sign = list[at] ?? '';
    if (sign === '"') {
      const end = endOfQuote(list, at);
      plain += list.slice(at, end);
      at = end - 1;
    } else if (sign === '(') at = endOfComment(list, at) - 1;
    else if (sign === '<') {
      const end = list.indexOf('>', at);
      angle = list.slice(at + 1, end === -1 ? list.length : end);
      at = end === -1 ? list.length : end;
    } else if (sign === ',' || sign === ';') finish();
    else if (sign === ':' && angle === null) plain = '';
    else plain += sign;
  }
  finish();
  return addresses;
}

function endOfQuote(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function endOfComment(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && --depth === 0) return at + 1;
  }
  return text.length;
}
