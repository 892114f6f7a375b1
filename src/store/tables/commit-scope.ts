import type { KeyId, MailboxId, WebhookId } from '../../domain/ids.ts';
import type { Commit } from '../../ports/store.ts';
import type { Change, Put } from './state.ts';

/** Collects the changes of a commit for its listeners. */
export class CommitScope implements Commit {
  readonly mailboxIds = new Set<MailboxId>();
  readonly keyIds = new Set<KeyId>();
  readonly webhookIds = new Set<WebhookId>();
  feed = false;
  sends = false;
  clocks = false;
  readonly all = false;

  get anything(): boolean {
    return this.feed || this.sends || this.clocks || this.mailboxIds.size + this.keyIds.size + this.webhookIds.size > 0;
  }

  by(change: Change): void {
    if (change[0] === 'put') this.#put(change);
    // The casts are safe: a removal holds the id as text.
    else if (change[0] === 'remove' && change[1] === 'mailboxes') this.mailboxIds.add(change[2] as MailboxId);
    else if (change[0] === 'remove' && change[1] === 'keys') this.keyIds.add(change[2] as KeyId);
    else if (change[0] === 'remove' && change[1] === 'webhooks') this.webhookIds.add(change[2] as WebhookId);
  }

  #put(change: Put): void {
    switch (change[1]) {
      case 'messages':
        this.mailboxIds.add(change[2].mailboxId);
        this.feed = true;
        break;
      case 'keys':
        if (change[2].revokedAt !== null) this.keyIds.add(change[2].id);
        // A reset removes a key and puts it back.
        else this.keyIds.delete(change[2].id);
        break;
      case 'requests':
        this.webhookIds.add(change[2].webhookId);
        this.feed = true;
        break;
      case 'sends':
        this.sends = true;
        break;
      case 'events':
        this.feed = true;
        if (change[2].type === 'clock.set' || change[2].type === 'reset') this.clocks = true;
        if ('mailboxId' in change[2].data && change[2].data.mailboxId !== undefined)
          this.mailboxIds.add(change[2].data.mailboxId);
        break;
      default:
    }
  }
}
