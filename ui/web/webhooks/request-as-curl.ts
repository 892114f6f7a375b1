import { quotedInShell } from '../../../src/text/in-shell.ts';
/** The fields of a captured request that the curl command needs. */
export interface CurlRequest {
  readonly method: string;
  /** The webhook URL, without the path and the query of the request. */
  readonly url: string;
  readonly path: string;
  readonly query: string | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
}

/** Headers that curl sets itself, or that would be wrong in a repeated request. */
const OWN = /^(host|content-length|connection|transfer-encoding|expect|accept-encoding)$/i;

/** Returns the curl command that repeats a captured request. A binary body is piped in from `printf`. */
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
    // The body is not UTF-8 text. Every byte is written as an octal escape.
  }
  return { printf: [...body].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('') };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

/**
 * Quotes one shell word. Control characters become escapes, because a raw one could end the paste and run the rest as
 * commands.
 */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  if (!CONTROL.test(text)) return quotedInShell(text);
  const escaped = [...text].map((sign) => {
    if (sign === '\\' || sign === "'") return `\\${sign}`;
    if (!CONTROL.test(sign)) return sign;
    return [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escaped.join('')}'`;
}
