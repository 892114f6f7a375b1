import { harmlessLine } from './harmless.ts';
import type { MailRow } from './resources.ts';

// Sentences that the terminal, the command line and the web inbox share, so that all use the same words.

export const SAID = {
  nothingDeleted: 'Nothing was deleted.',
  cloudDeletesNothing: 'The cloud API deletes nothing.',
  cloudHasNoSuchThing: 'The cloud API has no such thing.',
  gone: 'It is gone.',
  serverGone: 'the server is gone',
  openGone: 'The message that was open is deleted.',
} as const;

/** The words that stand for an empty subject. */
export const NO_SUBJECT = '(no subject)';

/** Describes a message in the question whether to delete it. */
export function calledMessage({ subject, from }: Pick<MailRow, 'subject' | 'from'>): string {
  return `"${harmlessLine(subject, 60) || NO_SUBJECT}" of ${harmlessLine(from, 60) || 'nobody'}`;
}

export function saidDeleted(what: string): string {
  return `${what} deleted.`;
}
