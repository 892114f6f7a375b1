import type { Context } from '../context.ts';
import { canReadMailbox, hashKey } from '../domain/api-key.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Mailbox } from '../domain/mailbox.ts';
import { meetFault } from './faults.ts';
import { REPLIES, Refusal } from './reply.ts';
import type { Session, SignedIn } from './session.ts';

const MAX_FAILED_SIGN_INS = 10;

/**
 * Contract 6: a user name that is a mailbox's subdomain or id sends all mail there; any other, such as the credentials of
 * an app's real provider, changes nothing. With `--smtp-auth strict` the name is a mailbox's and the password a key that reads it.
 */
export async function signIn(ctx: Context, session: Session, name: string, password: string): Promise<SignedIn> {
  const mailbox = await mailboxNamed(ctx, name);
  session.concerns = mailbox;
  await meetFault(ctx, 'auth', session, name);
  if (ctx.config.smtpAuth === 'any') return { name, mailbox };
  if (mailbox !== null && (await opens(ctx, password, mailbox))) return { name, mailbox };
  session.failedSignIns++;
  const tooMany = session.failedSignIns >= MAX_FAILED_SIGN_INS;
  throw new Refusal(tooMany ? REPLIES.too_many_sign_ins : REPLIES.credentials_invalid);
}

async function mailboxNamed(ctx: Context, name: string): Promise<Mailbox | null> {
  const { mailboxes } = ctx.store.read;
  const id = parseUlid<MailboxId>(name);
  return (id === null ? null : await mailboxes.get(id)) ?? (await mailboxes.bySubdomain(name.toLowerCase()));
}

async function opens(ctx: Context, password: string, mailbox: Mailbox): Promise<boolean> {
  const key = await ctx.store.read.keys.byHash(hashKey(password));
  return key !== null && key.revokedAt === null && canReadMailbox(key, mailbox);
}
