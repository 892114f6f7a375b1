import { JOURNAL_CAPACITY, type SmtpConnection, type SmtpJournal, type SmtpRefusal } from '../ports/storage.ts';

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
