import { harmlessText } from '../../../src/text/harmless.ts';
import type { MessageContent, MessageFacts } from '../app/api.ts';
import { splitAddresses } from '../mail/addresses.ts';

/** What a form of an email begins with. */
export interface MailDraft {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

export const EMPTY_DRAFT: MailDraft = { from: '', to: '', subject: '', text: '' };

/** The lines of a mail that an answer quotes. */
const QUOTED_LINES = 200;

/** Begins an answer to a message: from the address that got it, to its Reply-To or its sender, with its text quoted. */
export function answerTo(
  { envelope }: Pick<MessageFacts, 'envelope'>,
  { from, replyTo: asked, subject, textBody }: Pick<MessageContent, 'from' | 'replyTo' | 'subject' | 'textBody'>,
): MailDraft {
  const was = subject ?? '';
  return {
    from: envelope.rcptTo[0] ?? '',
    to: splitAddresses(asked || from || '')[0] ?? '',
    subject: /^re:/i.test(was) ? was : `Re: ${was}`.trim(),
    text: textBody === null || textBody === '' ? '' : `\n\n${from ?? ''} wrote:\n${quoted(textBody)}\n`,
  };
}

function quoted(text: string): string {
  const lines = harmlessText(text).trimEnd().split('\n');
  return [...lines.slice(0, QUOTED_LINES), ...(lines.length > QUOTED_LINES ? ['…'] : [])]
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}
