import type { MessageId } from '../../src/domain/ids.ts';
import type { Facts } from '../../src/domain/message.ts';

let messages = 0;

/** The facts of a message that came by SMTP, and an id of its own. */
export function facts(clientAddress: string, mailFrom: string, helo: string | null = 'mx.example.org') {
  const of: Facts = {
    source: 'smtp',
    envelope: { mailFrom, rcptTo: ['a@b.test'] },
    helo,
    user: null,
    tls: null,
    clientAddress,
    clientPort: 25,
    transcript: [],
  };
  return { id: `message ${++messages}` as MessageId, of }; // any text does for an id here
}
