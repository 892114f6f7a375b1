import { MailcapError } from '../errors.ts';
import type { ApiReply } from './call.ts';

/** Returns the body as text. */
export function replyText(reply: Pick<ApiReply, 'bytes'>): string {
  return new TextDecoder().decode(reply.bytes);
}

/** Returns the body as JSON. The type `T` comes from docs/api.md; unknown fields are kept. */
export function jsonOf<T>(reply: ApiReply, call: string): T {
  try {
    return JSON.parse(replyText(reply)) as T; // the server's schemas define the type
  } catch (cause) {
    throw new MailcapError('unexpected_answer', `The answer to ${call} is not JSON.`, {
      status: reply.status,
      requestId: reply.headers.get('x-request-id') ?? undefined,
      hint: 'Is there a proxy before the server, or another server at this address?',
      cause,
    });
  }
}
