import { createHash, timingSafeEqual } from 'node:crypto';
import { takerOf } from '../actions/receive-message.ts';
import type { Context } from '../context.ts';
import { canReadMailbox, hashKey } from '../domain/api-key.ts';
import { type KeyId, type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { LineConnection } from './line-connection.ts';

const MAX_FAILED_SIGN_INS = 10;
/** No name or password of a client that means well is longer. */
const MOST_CHARACTERS = 2_048;

/** A refused sign-in. `isLast` means that the connection has to end. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  readonly isLast: boolean;

  constructor(isLast: boolean) {
    super('the mailbox or the password is wrong');
    this.isLast = isLast;
  }
}

/** The sign-ins of one connection (docs/imap.md#sign-in). */
export class SignIns {
  readonly #ctx: Context;
  readonly #connection: LineConnection;
  readonly #protocol: 'pop3' | 'imap';
  #failed = 0;

  constructor(ctx: Context, connection: LineConnection, protocol: 'pop3' | 'imap') {
    this.#ctx = ctx;
    this.#connection = connection;
    this.#protocol = protocol;
  }

  /**
   * Signs the client in to a mailbox. A user of the configuration gets the inbox. On loopback any password opens it, because the local API needs none there either.
   * Elsewhere it is an API key that can read the mailbox, or the admin token. Throws {@link SignInRefused}, ever later.
   */
  async signIn(name: string, password: string): Promise<Mailbox> {
    const ctx = this.#ctx;
    const connection = this.#connection;
    const isUser = await ctx.passwords.isUser(ctx.config.readerUsers ?? [], name, password);
    const mailbox = isUser ? await ctx.store.read.mailboxes.inbox() : await mailboxNamed(ctx, name);
    const opener = mailbox === null ? null : isUser ? 'anybody' : await this.#opener(mailbox, password);
    if (mailbox === null || opener === null) {
      ctx.metrics.signedIn(this.#protocol, false);
      const inTime = await ctx.wrongTokens.answerLater(connection.clientAddress, connection, 'password');
      throw new SignInRefused(!inTime || ++this.#failed >= MAX_FAILED_SIGN_INS);
    }
    ctx.metrics.signedIn(this.#protocol, true);
    connection.isSignedIn = true;
    if (opener !== 'anybody') connection.onCancel(ctx.waiters.onRevoked(opener, () => connection.retire()));
    return mailbox;
  }

  async #opener(mailbox: Mailbox, password: string): Promise<KeyId | 'anybody' | null> {
    const { adminToken } = this.#ctx.runtime;
    if (adminToken === null ? this.#ctx.config.readerUsers === null : isSame(password, adminToken)) return 'anybody';
    const key = await this.#ctx.store.read.keys.byHash(hashKey(password));
    return key !== null && key.revokedAt === null && canReadMailbox(key, mailbox) ? key.id : null;
  }
}

/** Finds the mailbox of a user name: its id, its subdomain, or an address whose mail it gets. */
async function mailboxNamed(ctx: Context, name: string): Promise<Mailbox | null> {
  if (name.length > MOST_CHARACTERS) return null;
  const reader = await ctx.store.readNow();
  if (name.includes('@')) return takerOf(ctx, reader, name);
  const id = parseUlid<MailboxId>(name);
  return (
    (id === null ? null : await reader.mailboxes.get(id)) ?? (await reader.mailboxes.bySubdomain(name.toLowerCase()))
  );
}

/** The texts are hashed, so that the comparison does not reveal even their length. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
}

/**
 * Reads the response of SASL PLAIN (RFC 4616). Returns null if it is none, or if its user wants to act for another one:
 * a client would read a mailbox that it did not mean.
 */
export function readPlain(base64: string): { readonly name: string; readonly password: string } | null {
  const given = base64.trim();
  if (given.length > 2 * MOST_CHARACTERS || !/^[A-Za-z0-9+/]+={0,2}$/.test(given)) return null;
  const parts = Buffer.from(given, 'base64').toString('utf8').split('\0');
  const [other, name, password] = parts;
  if (parts.length !== 3 || name === undefined || password === undefined || name === '') return null;
  return other === '' || other === name ? { name, password } : null;
}

/** Tells whether a first line is one of HTTP: a web page of somebody else makes the browser send it. */
export function isOfBrowser(line: string): boolean {
  return /^[A-Z]{1,20} \S{1,4000} HTTP\/\d/i.test(line);
}
