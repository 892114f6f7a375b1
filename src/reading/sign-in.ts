import { takerOf } from '../actions/receive-message.ts';
import { findKey } from '../actions/workspaces.ts';
import type { Context } from '../context.ts';
import { isSameSecret } from '../domain/api-key.ts';
import type { KeyId } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { MAX_FAILED_SIGN_INS, mailboxOfUser, opens } from '../smtp/auth.ts';
import type { LineConnection } from './line-connection.ts';

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

/** Signs the client of a connection in, and returns its mailbox. Throws {@link SignInRefused}, ever later. */
export type SignIn = (name: string, password: string) => Promise<Mailbox>;

/**
 * Returns the sign-in of one connection (docs/imap.md#sign-in). A user of the configuration gets the inbox. On loopback
 * any password opens a mailbox, because the local API needs none there either. Elsewhere it is an API key that can read
 * the mailbox, or the admin token.
 */
export function signInOf(ctx: Context, connection: LineConnection, protocol: 'pop3' | 'imap'): SignIn {
  let failed = 0;
  return async (name, password) => {
    const isUser = await ctx.passwords.isUser(ctx.config.readerUsers ?? [], name, password);
    const mailbox = isUser ? await ctx.store.read.mailboxes.inbox() : await mailboxOf(ctx, name);
    const opener = mailbox === null ? null : isUser ? 'anybody' : await openerOf(ctx, mailbox, password);
    if (mailbox === null || opener === null) {
      ctx.metrics.signedIn(protocol, false);
      const inTime = await ctx.wrongTokens.answerLater(connection.clientAddress, connection, 'password');
      throw new SignInRefused(!inTime || ++failed >= MAX_FAILED_SIGN_INS);
    }
    ctx.metrics.signedIn(protocol, true);
    connection.isSignedIn = true;
    if (opener !== 'anybody') connection.onCancel(ctx.waiters.onRevoked(opener, () => connection.retire()));
    return mailbox;
  };
}

async function openerOf(ctx: Context, mailbox: Mailbox, password: string): Promise<KeyId | 'anybody' | null> {
  const { adminToken } = ctx.runtime;
  if (adminToken === null ? ctx.config.readerUsers === null : isSameSecret(password, adminToken)) return 'anybody';
  const key = await findKey(ctx.store.read, password);
  return opens(key, mailbox) ? key.id : null;
}

/** Finds the mailbox of a user name: its id, its subdomain, or an address whose mail it gets. */
async function mailboxOf(ctx: Context, name: string): Promise<Mailbox | null> {
  if (name.length > MOST_CHARACTERS) return null;
  const reader = await ctx.store.readNow();
  return name.includes('@') ? takerOf(ctx, reader, name) : mailboxOfUser(reader, name);
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
