import { harmlessLine } from './harmless.ts';
import type { MailRow } from './resources.ts';

// What was done or refused, in the same words wherever it is said: on the terminal, by a command, on a page.

export const SAID = {
  nothingDeleted: 'Nothing was deleted.',
  cloudDeletesNothing: 'The cloud API deletes nothing.',
  cloudHasNoSuchThing: 'The cloud API has no such thing.',
  gone: 'It is gone.',
} as const;

/** A message as it is called where it is to be deleted. */
export function calledMessage({ subject, from }: Pick<MailRow, 'subject' | 'from'>): string {
  return `"${harmlessLine(subject, 60) || '(no subject)'}" of ${harmlessLine(from, 60) || 'nobody'}`;
}

/** `what` was deleted. */
export function saidDeleted(what: string): string {
  return `${what} deleted.`;
}
