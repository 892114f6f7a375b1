import type { MessageDetailResponse } from '../../client/index.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { nameOfMessage } from '../../text/wording.ts';

/** A message with its bodies. A server with a local API tells its kind. */
export type MessageWithKind = MessageDetailResponse & { readonly kind?: 'email' | 'sms' };

/** Names a message in one line: by its subject, a text message by its words. */
export function titleOfRead(message: MessageWithKind, longest = 2_000): string {
  const { kind, textBody } = message;
  return (kind === 'sms' && harmlessLine(textBody ?? '', longest)) || nameOfMessage(message, longest);
}
