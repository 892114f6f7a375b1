import { curlCommand } from '../../../src/client/webhook/curl.ts';

interface Request {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** Null where it is no text. */
  readonly body: string | null;
  /** Where the bytes are of a body that is no text. */
  readonly bodyUrl: string | null;
}

/** A captured request as a command for a POSIX-like shell (`$'...'` where there are controls: bash, zsh). */
export function curlOf({ method, url, headers, body, bodyUrl }: Request): string {
  const isBytes = body === null && bodyUrl !== null;
  const data = isBytes ? ['--data-binary @-'] : body === null || body === '' ? [] : [`--data-raw ${quoted(body)}`];
  const command = curlCommand({ url, method, headers, body: data, quoted });
  return isBytes ? `curl -s ${quoted(bodyUrl)} | ${command}` : command;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not reach a shell that something is pasted into
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** One word of a shell. Controls are written out: one of them could end the paste, and what follows would be typed. */
function quoted(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  if (text.search(CONTROL) < 0) return `'${text.replaceAll("'", "'\\''")}'`;
  const escaped = text.replace(/[\\']/g, '\\$&').replace(CONTROL, (sign) => {
    if (sign === '\n') return '\\n';
    return [...new TextEncoder().encode(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
  });
  return `$'${escaped}'`;
}
