import { curlCommand } from '../../../src/client/webhook/curl.ts';
import { pastedInShell } from '../../../src/text/in-shell.ts';
import { latin1Text } from '../mail/mail-source.ts';
import { type LoadedRequest, textOrNull } from './request-body.ts';

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
  // No argument of a command holds another one.
  const text = textOrNull(body);
  const data = text === null ? ['--data-binary @-'] : text === '' ? [] : [`--data-raw ${pastedInShell(text)}`];
  const command = curlCommand({ url: address, method, headers, body: data, quoted: pastedInShell });
  return text === null ? `printf '${octal(body)}' | ${command}` : command;
}

function octal(body: Uint8Array): string {
  return [...body].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

/** Returns a captured request as a recording of one request, with its exact body and its headers in their order. */
export function playbackOf({ request, body }: LoadedRequest) {
  const { method, path, query, headers } = request;
  const fields = { afterMs: 0, method, path, query, headers };
  const one = request.hasBody ? { ...fields, base64: [btoa(latin1Text(body))] } : fields;
  return { mailcapRecording: 1 as const, requests: [one] };
}
