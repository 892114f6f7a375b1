import type { Message } from '../../src/client/index.ts';
import { harmlessLine } from '../../src/client/internal.ts';

/** Names a message in a failure. */
export function messageName({ subject, id }: Message): string {
  return subject === null ? `The message ${id}` : `"${harmlessLine(subject)}"`;
}
