/** The explanation of each status that a health check can return. */
const TROUBLES: ReadonlyMap<unknown, string> = new Map([
  ['stopping', 'is stopping: start it again with `mailcap dev`.'],
  ['disk_full', 'has a full disk and takes no mail until there is room: make some, or delete messages.'],
  [
    'storage_lost',
    'stores nothing any more, because its data directory is gone or was replaced: stop it and start it again.',
  ],
  [
    'storage_unavailable',
    "takes no mail, because a write to its disk failed: see the server's log and check the disk.",
  ],
]);

/** Explains the state of a server and how to fix it, as the end of a sentence; null if there is nothing to say. */
export function troubleOf(status: unknown): string | null {
  return TROUBLES.get(status) ?? null;
}
