import { curlCommand } from '../../../src/client/webhook/curl.ts';
import { quotedInShell } from '../../../src/text/in-shell.ts';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Null if the body is binary. */
  readonly body: string | null;
  /** The URL that returns the bytes of a binary body. */
  readonly bodyUrl: string | null;
}

/**
 * Returns the curl command that repeats a captured request. Control characters use `$'...'`, which bash and zsh know.
 */
export function shellCurl({ method, url, headers, body, bodyUrl }: Request): string {
  const isBytes = body === null && bodyUrl !== null;
  const data = isBytes ? ['--data-binary @-'] : body === null || body === '' ? [] : [`--data-raw ${quoted(body)}`];
  const command = curlCommand({ url, method, headers, body: data, quoted });
  return isBytes ? `curl -s ${quoted(bodyUrl)} | ${command}` : command;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern must match control characters
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/**
 * Quotes one shell word. Control characters become escapes, because a raw one could end the paste and run the rest as
 * commands.
 */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  if (text.search(CONTROL) < 0) return quotedInShell(text);
  const escaped = text.replace(/[\\']/g, '\\$&').replace(CONTROL, (sign) => {
    if (sign === '\n') return '\\n';
    return [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escaped}'`;
}
