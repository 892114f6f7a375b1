import { curlCommand } from '../../../src/client/webhook/curl.ts';
import { pastedInShell } from '../../../src/text/in-shell.ts';
import type { LoadedRequest } from './request-body.ts';

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

/** Returns the curl command that repeats a captured request. A binary body is piped in from `printf`. */
export function requestAsCurl({ method, url, path, query, headers, body }: CurlRequest): string {
  const address = `${url}${path === '/' ? '' : path}${query === null ? '' : `?${query}`}`;
  const text = textOf(body);
  const data = text === null ? ['--data-binary @-'] : text === '' ? [] : [`--data-raw ${pastedInShell(text)}`];
  const command = curlCommand({ url: address, method, headers, body: data, quoted: pastedInShell });
  return text === null ? `printf '${octal(body)}' | ${command}` : command;
}

/** Returns the text of a body, or null if an argument of a command can't hold it. */
function textOf(body: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return text.includes('\u0000') ? null : text;
  } catch {
    // The bytes are no UTF-8.
    return null;
  }
}

function octal(body: Uint8Array): string {
  return [...body].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns a captured request as a recording of one request, with its exact body and its headers in their order. */
export function playbackOf({ request, body }: LoadedRequest) {
  const { method, path, query, headers } = request;
  const fields = { afterMs: 0, method, path, query, headers };
  const one = request.hasBody ? { ...fields, base64: [base64(body)] } : fields;
  return { mailcapRecording: 1 as const, requests: [one] };
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  // Many arguments at once overflow the stack.
  for (let at = 0; at < bytes.length; at += 8_192) binary += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(binary);
}
