import type { CallOptions } from './deadline.ts';

/** A request of one of the two APIs. */
export interface Call {
  /** The name of the call in the client: `getMessage`, `local.reset`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, beginning with `/v1` or `/_mailcap`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined;
  readonly json?: unknown;
  readonly body?: Uint8Array | string | undefined;
  /** A note of a wait, as the value of a header. */
  readonly note?: string | null | undefined;
  /** The time that the server itself may hold the request, in milliseconds. It is added to the timeout of the call. */
  readonly heldMs?: number | undefined;
  readonly options?: CallOptions | undefined;
}

/** An answer with its body. */
export interface ApiReply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
}
