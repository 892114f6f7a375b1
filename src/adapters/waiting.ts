import type { KeyId, MailboxId, MessageId } from '../domain/ids.ts';
import type { Message } from '../domain/message.ts';
import type { Store } from '../ports/store.ts';
import { type Clock, momentNow } from '../ports/system.ts';
import type { ClaimTurns, HeldWait, HeldWaits, Waiters } from '../ports/waiting.ts';
import { getOrCreate } from '../text/maps.ts';

type Arrived = (messages: readonly Message[] | null) => void;

const PAGE = 200;
const RETRY_MS = 100;

/**
 * Creates the waiters. All watchers of a mailbox share one reader, so a commit costs one read for any number of
 * watchers.
 */
export function createWaiters(store: Store, clock: Clock): Waiters {
  const readers = new Map<MailboxId, MailboxReader>();
  let size = 0;
  const holders = new Map<KeyId, Set<() => void>>();
  /** Calls the listeners of all revoked or deleted keys, after a commit that does not name them. */
  const lookAtKeys = async (): Promise<void> => {
    try {
      for (const [id, acts] of [...holders]) {
        const key = await store.read.keys.get(id);
        if (key === null || key.revokedAt !== null) for (const act of acts) act();
      }
    } catch {
      clock.after(RETRY_MS, () => void lookAtKeys());
    }
  };
  const stop = store.onCommit(({ mailboxIds, keyIds, all }) => {
    if (all) {
      for (const reader of readers.values()) reader.wake();
      void lookAtKeys();
    }
    for (const id of mailboxIds) readers.get(id)?.wake();
    for (const id of keyIds) for (const act of holders.get(id) ?? []) act();
  });
  return {
    async watch(mailboxId, arrived) {
      const shared = getOrCreate(readers, mailboxId, () => new MailboxReader(store, clock, mailboxId));
      // The wrapper object is a separate watcher even if the same function is registered twice.
      const watcher = { arrived };
      shared.watchers.add(watcher);
      size++;
      const end = () => {
        if (!shared.watchers.delete(watcher)) return;
        size--;
        if (shared.watchers.size === 0 && readers.get(mailboxId) === shared) readers.delete(mailboxId);
      };
      try {
        await shared.positioned;
      } catch (error) {
        end();
        throw error;
      }
      return end;
    },
    onRevoked(keyId, act) {
      const acts = getOrCreate(holders, keyId, () => new Set()).add(act);
      return () => {
        acts.delete(act);
        if (acts.size === 0 && holders.get(keyId) === acts) holders.delete(keyId);
      };
    },
    get size() {
      return size;
    },
    close() {
      stop();
      for (const reader of readers.values()) reader.watchers.clear();
      readers.clear();
      holders.clear();
      size = 0;
    },
  };
}

class MailboxReader {
  readonly watchers = new Set<{ readonly arrived: Arrived }>();
  /** Settles once the cursor is known. Messages after it are passed to the watchers. */
  readonly positioned: Promise<void>;
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #mailboxId: MailboxId;
  #cursor: MessageId | null = null;
  #reading = true;
  #woken = false;

  constructor(store: Store, clock: Clock, mailboxId: MailboxId) {
    this.#store = store;
    this.#clock = clock;
    this.#mailboxId = mailboxId;
    this.positioned = this.#position();
  }

  /** Reads the messages after the cursor, because a commit may have added some. */
  wake(): void {
    if (this.#reading) this.#woken = true;
    else void this.#read();
  }

  async #position(): Promise<void> {
    this.#cursor = await this.#store.read.messages.lastId(this.#mailboxId);
    this.#reading = false;
    // A commit during the read of the position may lie after that position.
    if (this.#woken) this.wake();
  }

  async #read(): Promise<void> {
    this.#reading = true;
    try {
      do {
        this.#woken = false;
        await this.#handOn();
      } while (this.#woken && this.watchers.size > 0);
    } catch {
      // The cursor has not moved, so no message is lost. The read is repeated later.
      if (this.watchers.size > 0) this.#clock.after(RETRY_MS, () => this.wake());
    } finally {
      this.#reading = false;
    }
  }

  async #handOn(): Promise<void> {
    const { read } = this.#store;
    const messages = await read.messages.after(this.#mailboxId, this.#cursor, PAGE, momentNow(this.#clock));
    const newest = messages.at(-1);
    if (newest === undefined) {
      if ((await read.mailboxes.get(this.#mailboxId)) === null) this.#tell(null);
      return;
    }
    this.#cursor = newest.id;
    if (messages.length === PAGE) this.#woken = true;
    this.#tell(messages);
  }

  #tell(messages: readonly Message[] | null): void {
    // A watcher may remove itself from the set during this loop.
    for (const watcher of this.watchers) watcher.arrived(messages);
  }
}

/** Creates the list of held awaits. It lives in this process only. */
export function createHeldWaits(): HeldWaits {
  const held = new Set<HeldWait>();
  return {
    hold(wait) {
      // The copy is a separate entry even if the same object is registered twice.
      const own = { ...wait };
      held.add(own);
      return () => void held.delete(own);
    },
    list: () => [...held],
  };
}

/** Creates the queue of the callers that wait for addresses. */
export function createClaimTurns(): ClaimTurns {
  // A set keeps the order in which its members came.
  const waiting = new Set<ReadonlySet<string>>();
  const listeners = new Set<() => void>();
  return {
    join(keys) {
      const own = new Set(keys);
      waiting.add(own);
      return {
        isFirst: () => {
          for (const other of waiting) {
            if (other === own) return true;
            for (const key of own) if (other.has(key)) return false;
          }
          return true;
        },
        onChange: (act) => {
          // The wrapper is a listener of its own even if the same function is given twice.
          const listener = () => act();
          listeners.add(listener);
          return () => void listeners.delete(listener);
        },
        leave: () => {
          waiting.delete(own);
          for (const listener of [...listeners]) listener();
        },
      };
    },
  };
}
