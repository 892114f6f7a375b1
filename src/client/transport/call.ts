import type { CallOptions } from './deadline.ts';

/** A request of one of the two APIs. */
export interface Call {
  /** As its caller knows it: `getMessage`, `local.reset`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** From `/v1` or `/_mailcap` on. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly json?: unknown;
  readonly body?: Uint8Array | string | undefined;
  /** Milliseconds the server itself may hold the request, on top of what a call may take. */
  readonly heldMs?: number | undefined;
  readonly options?: CallOptions | undefined;
}

/** What came back, its body read. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
