import type { RequestFacts } from '../../shell/api.ts';

/** A captured request and its body. */
export interface LoadedRequest {
  readonly request: RequestFacts;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Decodes bytes as text, or returns null if they are binary. */
export function textOrNull(body: Uint8Array): string | null {
  if (body.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}
