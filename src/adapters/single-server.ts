import { type Cluster, createViewToken, MAX_VIEWS, type View, type Views } from '../ports/server.ts';
import { JOURNAL_CAPACITY, type SmtpConnection, type SmtpJournal, type SmtpRefusal } from '../ports/storage.ts';
import type { Store } from '../ports/store.ts';
import type { Random } from '../ports/system.ts';
import type { KeyedMutex } from '../ports/waiting.ts';

// A single server has these to itself. Several servers of one database share theirs (src/store/postgres).

/**
 * Creates the cluster of a store that only one server uses. The server is the leader from the start and shares nothing.
 */
export function singleServer(store: Store): Cluster {
  return {
    server: null,
    mutex: createKeyedMutex(),
    lead: (start) => start(store),
    shared: null,
    onAskedForAwaits: () => {},
    awaitsOfOthers: async () => [],
    others: async () => 0,
    agreeOn: async (_, proposed) => proposed,
    secret: async () => null,
  };
}

/** Creates a keyed mutex for this process. It forgets a key once nobody holds it or waits for it. */
export function createKeyedMutex(): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return {
    async runExclusive(key, work) {
      const done = (tails.get(key) ?? Promise.resolve()).then(work);
      const tail = done.catch(() => {});
      tails.set(key, tail);
      try {
        return await done;
      } finally {
        if (tails.get(key) === tail) tails.delete(key);
      }
    },
  };
}

/** Creates the SMTP journal. It lives in this process only. */
export function createJournal(): SmtpJournal {
  const connections = new Ring<SmtpConnection>();
  const refusals = new Ring<SmtpRefusal>();
  return {
    capacity: JOURNAL_CAPACITY,
    opened: (connection) => connections.push(connection),
    // The entry itself changes while the connection lasts.
    closed: () => {},
    refused: (refusal) => refusals.push(refusal),
    connections: async () => connections.newestFirst(),
    refusals: async () => refusals.newestFirst(),
    clear: async () => {
      connections.clear();
      refusals.clear();
    },
  };
}

class Ring<Entry> {
  #entries: Entry[] = [];
  #next = 0;

  push(entry: Entry): void {
    this.#entries[this.#next] = entry;
    this.#next = (this.#next + 1) % JOURNAL_CAPACITY;
  }

  newestFirst(): Entry[] {
    return [...this.#entries.slice(this.#next), ...this.#entries.slice(0, this.#next)].reverse();
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
  }
}

/** Creates the views. They live in this process only. */
export function createViews(random: Random): Views {
  const views = new Map<string, View>();
  return {
    async open(view) {
      const token = createViewToken(random);
      views.set(token, view);
      for (const oldest of views.keys()) {
        if (views.size <= MAX_VIEWS) break;
        views.delete(oldest);
      }
      return token;
    },
    async get(token, realNow) {
      const view = views.get(token);
      if (view === undefined) return null;
      if (view.expiresAt > realNow) return view;
      views.delete(token);
      return null;
    },
  };
}
