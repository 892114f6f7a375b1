import { MailcapError } from '../errors.ts';
import type { Reply } from './call.ts';

/** The body as text. */
export function textOf(reply: Pick<Reply, 'bytes'>): string {
  return new TextDecoder().decode(reply.bytes);
}

/** The body as JSON, which the API document says is of that shape; a field it does not know is let through. */
export function jsonOf<T>(reply: Reply, call: string): T {
  try {
    return JSON.parse(textOf(reply)) as T; // the parse boundary: the server's schemas made it
  } catch (cause) {
    throw new MailcapError('unexpected_answer', `${call} was answered by something that is no JSON.`, {
      status: reply.status,
      requestId: reply.headers.get('x-request-id') ?? undefined,
      hint: 'Is there a proxy in between, or another server at this address?',
      cause,
    });
  }
}
