import type { KeyId, MailboxId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Facts } from '../domain/message.ts';
import type { Ending } from '../ports/ending.ts';
import { Transcript } from './transcript.ts';

export interface SignedIn {
  readonly name: string;
  /** Where all its mail goes; null: where the recipients say. */
  readonly mailbox: Mailbox | null;
  /** The API key it signed in with; null where any password does. */
  readonly key: KeyId | null;
}

/** One connection, and the transaction it is in. It ends when either side closes it. */
export class Session implements Ending {
  readonly transcript = new Transcript();
  readonly clientAddress: string;
  readonly clientPort: number;
  helo: string | null = null;
  user: SignedIn | null = null;
  tls: Facts['tls'] = null;
  /** How the client came to TLS, by which name; null where it did not. */
  askedForTls: { readonly how: 'STARTTLS' | 'the TLS port'; readonly helo: string | null } | null = null;
  /** What broke TLS, as OpenSSL names it. */
  tlsFailure: string | null = null;
  failedSignIns = 0;
  mailFrom = '';
  /** What MAIL said with SIZE, 0 when it did not. */
  declaredBytes = 0;
  /** As written, in the order of RCPT, those taken. */
  rcptTo: string[] = [];
  /** The mailboxes they lead to. */
  readonly mailboxIds = new Set<MailboxId>();
  /** The recipient RCPT asked for last, as written. */
  asked: string | null = null;
  /** The mailbox it leads to, as far as known; before any, that of the sign-in. */
  concerns: Mailbox | null = null;
  /** The next refusal is a fault rule's. */
  faulted = false;
  /** Closes the connection without a word, where that can be done. */
  drop: () => void = () => {};
  #ended = false;
  readonly #onEnd = new Set<() => void>();

  constructor(clientAddress: string, clientPort: number) {
    this.clientAddress = clientAddress;
    this.clientPort = clientPort;
  }

  get ended(): boolean {
    return this.#ended;
  }

  onEnd(act: () => void): () => void {
    if (this.#ended) act();
    else this.#onEnd.add(act);
    return () => this.#onEnd.delete(act);
  }

  end(): void {
    this.#ended = true;
    for (const act of this.#onEnd) act();
    this.#onEnd.clear();
  }

  /** It waits for us because a fault rule says so. */
  get isHeld(): boolean {
    return this.#onEnd.size > 0;
  }

  beginTransaction(mailFrom: string, declaredBytes: number): void {
    this.mailFrom = mailFrom;
    this.declaredBytes = declaredBytes;
    this.rcptTo = [];
    this.mailboxIds.clear();
    this.ask(null);
  }

  ask(recipient: string | null): void {
    this.asked = recipient;
    this.concerns = this.user?.mailbox ?? null;
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
