/** A captured request, as far as a command needs it. */
export interface CurlRequest {
  readonly method: string;
  /** The capture URL; path and query follow it. */
  readonly url: string;
  readonly path: string;
  readonly query: string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** What curl says by itself, or would say wrong. */
const OWN = /^(host|content-length|connection|transfer-encoding|expect|accept-encoding)$/i;

/** A captured request as a command of a POSIX shell. A body that is no text goes in by `printf` and its bytes. */
export function requestAsCurl({ method, url, path, query, headers, body }: CurlRequest): string {
  const address = `${url}${path === '/' ? '' : path}${query === null ? '' : `?${query}`}`;
  const given = headers.filter(([name]) => !OWN.test(name)).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const parts = [`-X ${quoted(method)}`, ...given];
  const bytes = body.length === 0 ? null : dataOf(body);
  if (bytes?.text !== undefined) parts.push(`--data-raw ${quoted(bytes.text)}`);
  else if (bytes !== null) parts.push('--data-binary @-');
  const command = ['curl', ...parts, quoted(address)].join(' \\\n  ');
  return bytes?.printf === undefined ? command : `printf '${bytes.printf}' | ${command}`;
}

function dataOf(body: Uint8Array): { text?: string; printf?: string } {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    if (!text.includes('\u0000')) return { text };
  } catch {
    // No text: byte by byte.
  }
  return { printf: [...body].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('') };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a shell that something is pasted into
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

/** One word of a shell. Controls are written out: one of them could end the paste, and what follows would be typed. */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  if (!CONTROL.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = [...text].map((sign) => {
    if (sign === '\\' || sign === "'") return `\\${sign}`;
    if (!CONTROL.test(sign)) return sign;
    return [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escaped.join('')}'`;
}
