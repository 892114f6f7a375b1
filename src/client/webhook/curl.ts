import { quotedInShell } from '../../text/in-shell.ts';
/** The parts of a curl command. */
export interface CurlParts {
  readonly url: string;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The curl options that send the body; empty if there is no body. */
  readonly body: readonly string[];
  /** Quotes a text as one word of the shell. */
  readonly quoted: (text: string) => string;
}

export interface RepeatableRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
}

/** Headers that curl sends itself, or that applied only to the original connection. */
const LEFT_OUT = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding', 'expect']);

/** Linux limits an argument to 128 KiB. A longer body goes through a pipe. */
const LONGEST_WORD = 64 * 1024;

/** Returns the command that sends the same request again, for a POSIX shell. */
export function curlOf({ url, method, headers, rawBody }: RepeatableRequest): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
  // curl would read a value that begins with @ as a file name.
  const isText =
    rawBody.length <= LONGEST_WORD &&
    !text.includes('\u0000') &&
    !text.startsWith('@') &&
    sameBytes(new TextEncoder().encode(text), rawBody);
  const body = rawBody.length === 0 ? [] : [isText ? `--data-binary ${quotedInShell(text)}` : '--data-binary @-'];
  const command = curlCommand({ url, method, headers: Object.entries(headers), body, quoted: quotedInShell });
  return isText || rawBody.length === 0
    ? command
    : `printf %s ${quotedInShell(base64Of(rawBody))} | base64 -d | ${command}`;
}

/** Builds the command of a request. `quoted` decides the shell. */
export function curlCommand({ url, method, headers, body, quoted: word }: CurlParts): string {
  const fields = headers.filter(([name]) => !LEFT_OUT.has(name.toLowerCase()));
  return [
    ['curl', ...asWritten(url), method === 'HEAD' ? '--head' : `-X ${word(method)}`, word(url)].join(' '),
    // An empty header value is written with a semicolon, or curl would leave the header out.
    ...fields.map(([name, value]) => `-H ${word(value === '' ? `${name};` : `${name}: ${value}`)}`),
    ...body,
  ].join(' \\\n  ');
}

/**
 * Returns the options that make curl send a URL literally: without globbing of `[]` and `{}`, and without removing
 * `..`.
 */
function asWritten(url: string): string[] {
  const path = url.replace(/[?#].*/s, '');
  return [...(/[[\]{}]/.test(url) ? ['--globoff'] : []), ...(/\/\.{1,2}(\/|$)/.test(path) ? ['--path-as-is'] : [])];
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
