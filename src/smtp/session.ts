import type { MailboxId } from '../domain/ids.ts';
import type { Facts } from '../domain/message.ts';
import { Transcript } from './transcript.ts';

export interface SignedIn {
  readonly name: string;
  /** Where all its mail goes; null: where the recipients say. */
  readonly mailboxId: MailboxId | null;
}

/** One connection, and the transaction it is in. */
export class Session {
  readonly transcript = new Transcript();
  readonly clientAddress: string;
  readonly clientPort: number;
  helo: string | null = null;
  user: SignedIn | null = null;
  tls: Facts['tls'] = null;
  askedForTls = false;
  failedSignIns = 0;
  mailFrom = '';
  /** What MAIL said with SIZE, 0 when it did not. */
  declaredBytes = 0;
  /** As written, in the order of RCPT, those taken. */
  rcptTo: string[] = [];

  constructor(clientAddress: string, clientPort: number) {
    this.clientAddress = clientAddress;
    this.clientPort = clientPort;
  }

  beginTransaction(mailFrom: string, declaredBytes: number): void {
    this.mailFrom = mailFrom;
    this.declaredBytes = declaredBytes;
    this.rcptTo = [];
  }

  /** RFC 3207 4.2: nothing that was said in the clear is believed once TLS is up. */
  secured(tls: Facts['tls']): void {
    this.tls = tls;
    this.helo = null;
    this.user = null;
    this.beginTransaction('', 0);
  }

  facts(): Facts {
    return {
      source: 'smtp',
      envelope: { mailFrom: this.mailFrom, rcptTo: this.rcptTo },
      helo: this.helo,
      user: this.user?.name ?? null,
      tls: this.tls,
      clientAddress: this.clientAddress,
      clientPort: this.clientPort,
      transcript: this.transcript.lines(),
    };
  }
}
