import { refuse } from '../domain/errors.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Caller } from './route.ts';

/** Throws `not_found` for a mailbox that the key's explicit scope does not name, whether it exists or not. */
export function checkScope({ key }: Caller, params: Readonly<Record<string, string>>): void {
  const { mailboxId } = params;
  const { mailboxes } = key.scopes;
  if (mailboxId === undefined || mailboxes === 'all') return;
  const id = parseUlid<MailboxId>(mailboxId);
  if (id === null || !mailboxes.includes(id)) throw refuse('not_found');
}
