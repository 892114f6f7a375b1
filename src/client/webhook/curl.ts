/** The parts of a command. */
export interface CurlParts {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The option that tells the body, and its value as a word; none where there is no body. */
  readonly body: readonly string[];
  /** Makes a text one word of the shell. */
  readonly quoted: (text: string) => string;
}

export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
}

/** What curl says itself, or what was true of one connection alone. */
const LEFT_OUT = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding', 'expect']);

/** Linux takes no longer word than 128 KiB; what is longer goes through a pipe. */
const LONGEST_WORD = 64 * 1024;

/** The command that sends the same request again, for a POSIX shell. */
export function curlOf({ url, method, headers, rawBody }: Sent): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
  // What begins with @ curl takes for the name of a file.
  const isText =
    rawBody.length <= LONGEST_WORD &&
    !text.includes('\u0000') &&
    !text.startsWith('@') &&
    sameBytes(new TextEncoder().encode(text), rawBody);
  const body = rawBody.length === 0 ? [] : [isText ? `--data-binary ${quoted(text)}` : '--data-binary @-'];
  const command = curlCommand({ url, method, headers: Object.entries(headers), body, quoted });
  return isText || rawBody.length === 0 ? command : `printf %s ${quoted(base64Of(rawBody))} | base64 -d | ${command}`;
}

/** The command of a request, for whatever shell `quoted` writes for. */
export function curlCommand({ url, method, headers, body, quoted: word }: CurlParts): string {
  const fields = headers.filter(([name]) => !LEFT_OUT.has(name.toLowerCase()));
  return [
    ['curl', ...asWritten(url), method === 'HEAD' ? '--head' : `-X ${word(method)}`, word(url)].join(' '),
    // An empty value is written with a semicolon, or curl would leave the header out.
    ...fields.map(([name, value]) => `-H ${word(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...body,
  ].join(' \\\n  ');
}

/** What keeps curl from reading more into a URL than is there: sets and ranges, and ways up. */
function asWritten(url: string): string[] {
  const path = url.replace(/[?#].*/s, '');
  return [...(/[[\]{}]/.test(url) ? ['--globoff'] : []), ...(/\/\.{1,2}(\/|$)/.test(path) ? ['--path-as-is'] : [])];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
