/** By the status that a server tells when it is asked for its health. */
const TROUBLES: ReadonlyMap<unknown, string> = new Map([
  ['stopping', 'is stopping: start it again with `mailcap dev`.'],
  ['disk_full', 'has a full disk and takes no mail until there is room: make some, or delete messages.'],
  [
    'storage_lost',
    'writes nothing any more, for its data directory is gone or was replaced: stop it and start it again.',
  ],
  ['storage_unavailable', "takes no mail, for a write to its disk failed: see the server's log and check the disk."],
]);

/** What ails a server and what to do about it, to follow its name in a sentence; null where nothing is known to. */
export function troubleOf(status: unknown): string | null {
  return TROUBLES.get(status) ?? null;
}
