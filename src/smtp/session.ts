import type { KeyId, MailboxId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Facts } from '../domain/message.ts';
import type { Ending } from '../ports/waiting.ts';

export interface SignedIn {
  readonly name: string;
  /** The mailbox that gets all mail of the connection. Null means that the recipients decide. */
  readonly mailbox: Mailbox | null;
  /** The API key used as password. Null if any password is accepted. */
  readonly key: KeyId | null;
}

/** One SMTP connection with its current transaction. It ends when either side closes it. */
export class Session implements Ending {
  readonly transcript = new Transcript();
  readonly clientAddress: string;
  readonly clientPort: number;
  helo: string | null = null;
  user: SignedIn | null = null;
  tls: Facts['tls'] = null;
  /** The way in which the client started TLS, and its HELO name. Null if it did not start TLS. */
  askedForTls: { readonly how: 'STARTTLS' | 'the TLS port'; readonly helo: string | null } | null = null;
  /** The error that broke TLS, as OpenSSL names it. */
  tlsFailure: string | null = null;
  /** Tells whether STARTTLS was refused. */
  wasRefusedTls = false;
  /** Tells whether the greeting was answered and the client has said nothing else about mail since. */
  isAtHelo = false;
  failedSignIns = 0;
  mailFrom = '';
  /** The SIZE parameter of MAIL (RFC 1870), in bytes. 0 if it was not given. */
  declaredBytes = 0;
  /** The accepted recipients as written, in the order of RCPT. */
  rcptTo: string[] = [];
  /** The mailboxes of the accepted recipients. */
  readonly mailboxIds = new Set<MailboxId>();
  /** The recipient of the last RCPT command, as written. */
  asked: string | null = null;
  /** The mailbox of that recipient if known. Before any RCPT it is the mailbox of the sign-in. */
  concerns: Mailbox | null = null;
  /** Tells whether the next refusal comes from a fault rule. */
  faulted = false;
  /** Closes the connection without a reply. The connection sets it if it can. */
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

  /** Tells whether a fault rule keeps the client waiting. */
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

  /** Starts TLS. Everything the client said in plaintext is forgotten (RFC 3207 4.2). */
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

const MAX_LINES = 100;
const MAX_LENGTH = 8 * 1024;

/** The dialogue since the last message, without secrets and of bounded length. */
class Transcript {
  #lines: string[] = [];
  #length = 0;

  /** Adds a line from {@link clientLine} or {@link serverLines}. */
  push(line: string): void {
    if (this.#isFull || this.#length + line.length > MAX_LENGTH) {
      this.#length = MAX_LENGTH;
      return;
    }
    this.#lines.push(line);
    this.#length += line.length;
  }

  lines(): readonly string[] {
    return this.#lines;
  }

  clear(): void {
    this.#lines = [];
    this.#length = 0;
  }

  get #isFull(): boolean {
    return this.#lines.length >= MAX_LINES || this.#length >= MAX_LENGTH;
  }
}

/** Formats a client's line. `secret` marks the answer to an AUTH challenge, which is masked. */
export function clientLine(line: string, secret: boolean): string {
  return secret ? 'C: ***' : `C: ${withoutSecret(line)}`;
}

/** Formats the lines of a reply. `text` has no final line end. */
export function serverLines(text: string): readonly string[] {
  return text.includes('\r\n') ? text.split('\r\n').map((line) => `S: ${line}`) : [`S: ${text}`];
}

const AUTH_WITH_ARGUMENT = /^(\s*auth\s+\S+\s+)\S.*$/i;

function withoutSecret(line: string): string {
  const first = line.charCodeAt(0) | 0x20;
  return first === 0x61 || first <= 0x20 ? line.replace(AUTH_WITH_ARGUMENT, '$1***') : line;
}
