import { refuse } from '../domain/errors.ts';
import { type MailboxId, parseUlid } from '../domain/ids.ts';
import type { Caller } from './route.ts';

/** What an explicit set does not name is missing to its key, there or not. Throws `not_found`. */
export function checkScope({ key }: Caller, params: Readonly<Record<string, string>>): void {
  const { mailboxId } = params;
  const { mailboxes } = key.scopes;
  if (mailboxId === undefined || mailboxes === 'all') return;
  const id = parseUlid<MailboxId>(mailboxId);
  if (id === null || !mailboxes.includes(id)) throw refuse('not_found');
}
