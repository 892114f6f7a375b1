import { ALL_MAIL, type ShellApi } from './api.ts';
import type { MessageListController } from './message-list-controller.ts';

/** A flood is over when fewer messages than this arrive between two polls. */
const CALM = 200;

/** The events that a poll does not show, so that only the feed reports them. */
const OTHERS = ['reset', 'clock.set', 'message.deleted', 'mailbox.deleted'];

/** The functions of the page that a poller uses. */
export interface BurstPollerHost {
  /** Tells whether polling is enough: the page shows only a list with the newest messages. */
  readonly mayLook: () => boolean;
  /** Loads the mailboxes, and returns the number of messages that were added since the last time. */
  readonly countArrived: () => Promise<number>;
  /** Follows the feed again, from the event after `since`. */
  readonly goOn: (since: string | null) => void;
}

/** The result of a poll: whether polling is to stop, and the event after which the feed goes on if that is a later one. */
export interface FloodFinding {
  readonly isOver: boolean;
  readonly since: string | null;
}

interface Look {
  readonly api: ShellApi;
  readonly mail: MessageListController;
  readonly host: BurstPollerHost;
  /** The id of the last event from the feed. */
  readonly since: string | null;
  /** Returns false if polling was stopped meanwhile. */
  readonly isStill: () => boolean;
}

/** Polls the server once in a flood of mail. */
export async function lookAtFlood(look: Look): Promise<FloodFinding> {
  const { host, since, isStill } = look;
  if (since === null || !host.mayLook()) return { isOver: true, since: null };
  const arrived = await renew(look);
  if (arrived === null) return { isOver: true, since: null };
  if (!isStill() || arrived >= CALM) return { isOver: false, since: null };
  return { isOver: true, since: await reach(look, since) };
}

/**
 * Renews the list and the counts. Returns the number of new messages; null if the reader selected an older message.
 */
async function renew({ mail, host, isStill }: Look): Promise<number | null> {
  const [isRenewed, arrived] = await Promise.all([mail.renew(isStill), host.countArrived()]);
  return isRenewed ? arrived : null;
}

/**
 * Polls once more, and returns the newest message from before this poll. Returns null if a deletion or a reset
 * happened before that message, because these change more than the newest page and only the feed reports them.
 */
async function reach(look: Look, since: string): Promise<string | null> {
  // The position is read before the rows. The feed repeats messages that arrive in between, and the list ignores
  // them.
  const { items } = await look.api.messages(ALL_MAIL, { limit: 1, before: null });
  const newest = items[0]?.id ?? '';
  if (newest <= since || (await renew(look)) === null) return null;
  const others = await look.api.listEvents({ since, limit: 1, types: OTHERS });
  return others.length === 0 ? newest : null;
}
