import type { MessageId } from '../../src/domain/ids.ts';
import type { ReceiptMetadata } from '../../src/domain/message.ts';

let messages = 0;

/** Returns the facts of a message that arrived by SMTP, and a new id. */
export function facts(clientAddress: string, mailFrom: string, helo: string | null = 'mx.example.org') {
  const of: ReceiptMetadata = {
    source: 'smtp',
    envelope: { mailFrom, rcptTo: ['a@b.test'] },
    helo,
    user: null,
    tls: null,
    clientAddress,
    clientPort: 25,
    transcript: [],
  };
  return { id: `message ${++messages}` as MessageId, of }; // any text is good enough as an id here
}
