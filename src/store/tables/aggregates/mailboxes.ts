import { claimKey, claimKeysFor } from '../../../domain/claimed-address.ts';
import { refuse } from '../../../domain/errors.ts';
import type { MailboxId } from '../../../domain/ids.ts';
import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';
import { countOn } from './day-counts.ts';
import { clearMessages } from './messages.ts';
import { found, removeEach } from './rows.ts';

export function readMailboxes(state: State): Reader['mailboxes'] {
  return {
    get: async (id) => state.mailboxes.get(id) ?? null,
    bySubdomain: async (subdomain) => found(state.mailboxes, state.mailboxBySubdomain.idOf(subdomain)),
    byAddress: async (recipient) => found(state.mailboxes, claimantOf(state, recipient)),
    addresses: async (id) => state.claims.get(id)?.addresses ?? [],
    list: async (workspaceId) => [...state.mailboxesByWorkspace.of(workspaceId).ascending()],
    inbox: async () => found(state.mailboxes, state.inbox.idOf('inbox')),
    inboundUsed: async (id, now) => countOn(state.inbound.get(id)?.used, now),
  };
}

export function writeMailboxes(state: State, write: Write): Writes<'mailboxes'> {
  return {
    insert: async (mailbox, max) => {
      if (state.mailboxBySubdomain.idOf(mailbox.subdomain) !== undefined) throw refuse('subdomain_taken');
      if (state.mailboxesByWorkspace.of(mailbox.workspaceId).size >= max) {
        throw refuse('plan_max_mailboxes_reached', { limit: max });
      }
      write(['put', 'mailboxes', mailbox]);
    },
    update: async (mailbox) => write(['put', 'mailboxes', mailbox]),
    setAddresses: async (id, addresses) => {
      for (const address of addresses) {
        const mailboxId = state.claimants.idOf(claimKey(address)) ?? id;
        if (mailboxId !== id) throw refuse('address_taken', { address, mailboxId });
      }
      if (addresses.length > 0) write(['put', 'claims', { id, addresses }]);
      else write(['remove', 'claims', id]);
    },
    remove: async (id) => removeMailbox(state, write, id),
  };
}

function claimantOf({ claimants }: State, recipient: string): string | undefined {
  // Most servers have no claims, and this runs for every recipient.
  if (claimants.size === 0) return undefined;
  for (const key of claimKeysFor(recipient)) {
    const id = claimants.idOf(key);
    if (id !== undefined) return id;
  }
  return undefined;
}

/** Removes a mailbox with its messages, claims and sends. */
export function removeMailbox(state: State, write: Write, id: MailboxId): void {
  clearMessages(state, write, id);
  removeEach(write, 'sends', state.sendsByMailbox.of(id));
  write(['remove', 'inbound', id]);
  if (state.claims.get(id) !== undefined) write(['remove', 'claims', id]);
  write(['remove', 'mailboxes', id]);
}
