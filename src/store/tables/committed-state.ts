import { CommittedMessages } from './messages/committed-messages.ts';
import {
  blobsOf,
  type Change,
  feedIdIn,
  type GoneRow,
  type LogPosition,
  type Put,
  putOf,
  type Rows,
  State,
  type TableName,
} from './state.ts';

/** The durable rows, which all readers outside of transactions see. */
export class CommittedState extends State<CommittedMessages> {
  constructor() {
    super(new CommittedMessages());
  }

  /** Is called with the id of each message that was removed. */
  onRemovedMessage: (id: string) => void = () => {};

  /** Returns the newest id of the feed, including the ids of messages that were loaded in bulk. */
  override get newestFeedId(): string {
    const told = super.newestFeedId;
    return this.messages.newestId > told ? this.messages.newestId : told;
  }

  /** Applies a change. `home` is the position of its record, and `gone` gets each row that it replaced or removed. */
  apply(change: Change, home: LogPosition, gone: (row: GoneRow) => void): void {
    switch (change[0]) {
      case 'put':
        this.#put(change, home, gone);
        return;
      case 'remove': {
        const [, name, id] = change;
        const table = this.table(name);
        if (table === null) {
          tell(this.messages.remove(id), gone);
          this.onRemovedMessage(id);
        } else tell(goneOf(name, table.remove(id)), gone);
        return;
      }
      case 'clear': {
        const [, groupId, upTo, requests] = change;
        if (requests === undefined) {
          for (const row of this.messages.clear(groupId, upTo)) {
            gone(row);
            this.onRemovedMessage(row.id);
          }
          return;
        }
        for (const { id } of this.requestsUpTo(groupId, upTo)) tell(goneOf('requests', this.requests.remove(id)), gone);
        return;
      }
    }
  }

  #put(change: Put, home: LogPosition, gone: (row: GoneRow) => void): void {
    const [, name, row] = change;
    if (name === 'messages') {
      tell(this.messages.put(row, home), gone);
      return;
    }
    this.learn(feedIdIn(name, row));
    tell(goneOf(name, this.table(name)?.put(row)), gone);
  }
}

function tell(row: GoneRow | null, gone: (row: GoneRow) => void): void {
  if (row !== null) gone(row);
}

function goneOf(table: TableName, row: Rows[TableName] | undefined): GoneRow | null {
  return row === undefined ? null : { table, id: row.id, blobs: blobsOf(putOf(table, row)), home: null };
}
