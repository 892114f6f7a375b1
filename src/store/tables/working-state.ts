import type { CommittedState } from './committed-state.ts';
import { WorkingMessages } from './messages/working-messages.ts';
import type { Pending } from './pending.ts';
import { type Change, feedIdIn, State, TABLES } from './state.ts';

/** The rows that transactions see: the durable rows, and their own writes that are not durable yet. */
export class WorkingState extends State<WorkingMessages> {
  /** Starts as a copy of the committed state. The rows themselves are shared. */
  constructor(committed: CommittedState) {
    super(new WorkingMessages(committed.messages));
    for (const name of TABLES) {
      const table = this.table(name);
      // The messages come from the committed table.
      if (table !== null) for (const [, , row] of committed.puts(name)) table.put(row);
    }
    this.told(committed.newestFeedId);
  }

  /** Applies a change. The caller later settles or undoes it. */
  apply(change: Change): Pending {
    switch (change[0]) {
      case 'put': {
        const [, name, row] = change;
        if (name === 'messages') {
          const pending = this.messages.put(row);
          this.told(row.id);
          return pending;
        }
        this.told(feedIdIn(name, row));
        const old = this.table(name)?.put(row);
        return undoneBy(() => {
          if (old === undefined) this.table(name)?.remove(row.id);
          else this.table(name)?.put(old);
        });
      }
      case 'remove': {
        const [, name, id] = change;
        const table = this.table(name);
        if (table === null) return this.messages.remove(id);
        const old = table.remove(id);
        return undoneBy(() => {
          if (old !== undefined) table.put(old);
        });
      }
      case 'clear': {
        const [, groupId, upTo, requests] = change;
        if (requests === undefined) return this.messages.clear(groupId, upTo);
        const doomed = this.requestsUpTo(groupId, upTo);
        for (const { id } of doomed) this.requests.remove(id);
        return undoneBy(() => {
          for (const row of doomed) this.requests.put(row);
        });
      }
    }
  }
}

/** Creates a pending change that needs no action when it is settled, because both states hold the rows. */
function undoneBy(undo: () => void): Pending {
  return { undo, settle: () => {} };
}
