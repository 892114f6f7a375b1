import { harmlessLine } from './harmless.ts';
import { saidCount } from './said.ts';

// Sentences that the terminal, the command line and the web inbox share, so that they use the same words. The command
// line puts its own name before a sentence, and makes the first letter small.

export const SAID = {
  nothingDeleted: 'Nothing was deleted.',
  cloudDeletesNothing: 'The cloud API can not delete.',
  cloudKeepsNoMarks: 'The cloud keeps no marks.',
  cloudHasNoSuchThing: 'The cloud API does not support this.',
  gone: 'It is gone.',
  serverGone: 'the server is gone',
  openGone: 'The open message was deleted.',
} as const;

/** The text that is shown in place of an empty subject. */
export const NO_SUBJECT = '(no subject)';
/** Stands in the place of the subject of a text message, which has none. */
export const TEXT_MESSAGE = 'Text message';

/** Names a message by its subject, in one line of at most `longest` characters. */
export function nameOfMessage(
  { subject, kind }: { readonly subject: string | null; readonly kind?: string | undefined },
  longest: number,
): string {
  return harmlessLine(subject ?? '', longest) || (kind === 'sms' ? TEXT_MESSAGE : NO_SUBJECT);
}

/** Describes a message in the question whether to delete it. */
export function calledMessage({
  from,
  ...message
}: { readonly from: string } & Parameters<typeof nameOfMessage>[0]): string {
  return `"${nameOfMessage(message, 60)}" of ${harmlessLine(from, 60) || 'nobody'}`;
}

/** Describes what a deletion takes away, in the question before it and in the sentence after it. */
export const CALLED = {
  mailbox: (name: string, messages: string) => `the mailbox ${harmlessLine(name, 100)} with ${messages}`,
  messagesIn: (messages: string, mailbox: string) => `${messages} in ${harmlessLine(mailbox, 100)}`,
  messagesFoundIn: (messages: string, mailbox: string) => `${messages} found in ${harmlessLine(mailbox, 100)}`,
  webhook: (name: string, requests: number) =>
    `the webhook ${harmlessLine(name, 100)} with ${saidCount(requests, 'request')}`,
  requestsOf: (requests: number, webhook: string) =>
    `${saidCount(requests, 'request')} of ${harmlessLine(webhook, 100)}`,
  authenticator: (name: string) => `the authenticator ${harmlessLine(name, 100)}`,
  workspace: (name: string) => `the workspace ${harmlessLine(name, 100)}`,
} as const;

/** Returns the question before a deletion. */
export function askDelete(what: string): string {
  return `Delete ${what}?`;
}

/** Returns the sentence after a deletion. */
export function saidDeleted(what: string): string {
  return asSentence(`${what} deleted.`);
}

/** Returns the sentence after a reset. `gone` lists what it deleted; null if it deleted nothing or did not count. */
export function saidReset(gone: string | null): string {
  return `The server was reset${gone === null ? '' : `: ${gone} deleted`}.`;
}

/** The sentence after a clock was set, by which mail may have expired or come back. */
export const CLOCK_SET = 'The clock was set, so the list was loaded again.';

/** Returns the sentence after the server composed a mail and sent it. */
export function saidMailSent(subject: string): string {
  return `Sent “${harmlessLine(subject, 60) || NO_SUBJECT}”.`;
}

/** Returns the sentence after a message was handed to the server for its recipients. */
export function saidSent(to: string): string {
  return `Sent to ${harmlessLine(to, 300)}.`;
}

/** Makes the first letter a capital. */
export function asSentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
