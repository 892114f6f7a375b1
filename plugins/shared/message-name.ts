import type { Message } from '../../src/client/index.ts';

/** Names a message in a failure. */
export function messageName({ subject, id }: Message): string {
  return subject === null ? `The message ${id}` : `"${subject}"`;
}
