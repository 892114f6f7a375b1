export interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: Uint8Array;
}

/** What curl says itself, or what was true of one connection alone. */
const LEFT_OUT = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding', 'expect']);

/** The command that sends the same request again, for a POSIX shell. */
export function curlOf({ url, method, headers, rawBody }: Sent): string {
  const fields = Object.entries(headers).filter(([name]) => !LEFT_OUT.has(name.toLowerCase()));
  // An empty value is written with a semicolon, or curl would leave the header out.
  const lines = fields.map(([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(rawBody);
  // What begins with @ curl takes for the name of a file.
  const isText =
    !text.includes('\u0000') && !text.startsWith('@') && sameBytes(new TextEncoder().encode(text), rawBody);
  const body = rawBody.length === 0 ? [] : [isText ? `--data-binary ${quoted(text)}` : '--data-binary @-'];
  const start = `curl ${method === 'HEAD' ? '--head' : `-X ${quoted(method)}`} ${quoted(url)}`;
  const command = [start, ...lines, ...body].join(' \\\n  ');
  return isText || rawBody.length === 0 ? command : `printf %s ${quoted(base64Of(rawBody))} | base64 -d | ${command}`;
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
