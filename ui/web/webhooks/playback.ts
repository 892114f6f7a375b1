import type { LoadedRequest } from './request-body.ts';

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
