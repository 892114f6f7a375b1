// What was done or refused, in the same words wherever it is said: on the terminal, by a command, on a page.

export const SAID = {
  nothingDeleted: 'Nothing was deleted.',
  cloudDeletesNothing: 'The cloud API deletes nothing.',
  cloudHasNoSuchThing: 'The cloud API has no such thing.',
  gone: 'It is gone.',
} as const;

/** `count` messages were deleted. */
export function saidDeleted(count: number): string {
  return `Deleted ${count.toLocaleString('en-US')} ${count === 1 ? 'message' : 'messages'}.`;
}
