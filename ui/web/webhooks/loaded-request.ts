import type { RequestFacts } from '../../shell/api.ts';

/** A captured request with its body. */
export interface LoadedRequest {
  readonly request: RequestFacts;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Bytes as text, null where they are none. */
export function textOf(body: Uint8Array): string | null {
  if (body.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}
