import type { Api } from '../connection/api.ts';
import type { Settings } from '../options/options.ts';
import type { Arrivals } from './arrivals.ts';
import type { Recipients } from './recipients.ts';

/** What a handle of a mailbox stands on. */
export interface MailboxParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly arrivals: Arrivals;
  readonly recipients: Recipients;
  /** Whether the mailbox is this handle's alone. */
  readonly isOwn: boolean;
}
