import type { Api } from '../connection/api.ts';
import type { Settings } from '../options/options.ts';
import type { Arrivals } from './arrivals.ts';
import type { Recipients } from './recipients.ts';

/** The parts that a mailbox handle is made of. */
export interface MailboxParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly arrivals: Arrivals;
  readonly recipients: Recipients;
  /** `true` if this handle created the mailbox for itself. */
  readonly isOwn: boolean;
}
