import type { Context } from '../context.ts';
import { type ApiKey, canReadMailbox, hashKey } from '../domain/api-key.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import type { Reader } from '../ports/store.ts';
import { applySmtpFault } from './faults.ts';
import type { Session, SignedIn } from './journal.ts';
import { REPLIES, ReplyError } from './reply.ts';

export const MAX_FAILED_SIGN_INS = 10;

/**
 * Signs a client in (docs/claimed-addresses.md#sign-in). A user name that is a mailbox's subdomain or id routes all mail
 * there. Any other name, such as that of an app's real provider, changes nothing. Where users are given, only they sign in. With `--smtp-auth strict` the name must
 * be a mailbox and the password a key that can read it. Throws {@link ReplyError}.
 */
export async function signIn(ctx: Context, session: Session, name: string, password: string): Promise<SignedIn> {
  const mailbox = await mailboxOfUser(await ctx.store.readNow(), name);
  session.concern(mailbox);
  await applySmtpFault(ctx, 'auth', session, name);
  const { smtpUsers } = ctx.config;
  if (smtpUsers !== null && !(await ctx.passwords.isUser(smtpUsers, name, password))) throw refused(session);
  if (ctx.config.smtpAuth === 'any') return { name, mailbox, key: null };
  const key = await ctx.store.read.keys.byHash(hashKey(password));
  if (mailbox !== null && opens(key, mailbox)) return { name, mailbox, key: key.id };
  throw refused(session);
}

function refused(session: Session): ReplyError {
  const tooMany = session.failSignIn() >= MAX_FAILED_SIGN_INS;
  return new ReplyError(tooMany ? REPLIES.too_many_sign_ins : REPLIES.credentials_invalid);
}

/** Finds the mailbox with an id or a subdomain. */
export async function mailboxOfUser({ mailboxes }: Reader, name: string): Promise<Mailbox | null> {
  const id = parseUlid<MailboxId>(name);
  return (id === null ? null : await mailboxes.get(id)) ?? (await mailboxes.bySubdomain(name.toLowerCase()));
}

/** Tells whether a key is valid and can read a mailbox. */
export function opens(key: ApiKey | null, mailbox: Mailbox): key is ApiKey {
  return key !== null && key.revokedAt === null && canReadMailbox(key, mailbox);
}

/** Checks that the key of the sign-in is still valid. Throws {@link ReplyError} if it was revoked. */
export async function checkSignIn(reader: Reader, { key, mailbox }: SignedIn): Promise<void> {
  if (key === null || mailbox === null) return;
  if (!opens(await reader.keys.get(key), mailbox)) throw new ReplyError(REPLIES.sign_in_required);
}
