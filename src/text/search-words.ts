// The vocabulary of a search. Its meaning follows Mailpit's search; docs/search.md says where it differs.

/** A search word, as help, completion and documents show it. */
export interface SearchWord {
  /** The word with its colon: `from:`. */
  readonly word: string;
  /** All possible values, if there are few. */
  readonly values?: readonly string[];
  /** An example, if any value is possible. */
  readonly example?: string;
  readonly help: string;
}

/** The fields of a mail that can be searched for text. */
export const TEXT_FIELDS = [
  'from',
  'to',
  'cc',
  'bcc',
  'reply-to',
  'addressed',
  'recipient',
  'subject',
  'message-id',
  'filename',
  'body',
  'thread',
] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

/** The values of `has:`. */
export const HAVINGS = ['attachment', 'inline', 'code', 'link'] as const;
export type SearchHas = (typeof HAVINGS)[number];

/** The marks that `is:` finds. */
export const MARK_WORDS = ['read', 'unread', 'starred', 'tagged', 'sms'] as const;
export type SearchMark = (typeof MARK_WORDS)[number];

export const SEARCH_WORDS: readonly SearchWord[] = [
  { word: 'from:', example: 'ada', help: 'The From header or the envelope sender' },
  { word: 'to:', example: 'ada', help: 'The To header, else the envelope recipients' },
  { word: 'cc:', example: 'ada', help: 'The Cc header' },
  { word: 'bcc:', example: 'ada', help: 'The Bcc header, else recipients in neither To nor Cc' },
  { word: 'reply-to:', example: 'ada', help: 'The Reply-To header' },
  { word: 'addressed:', example: 'ada', help: 'Any of the five above' },
  { word: 'recipient:', example: 'ada', help: 'The To header or an envelope recipient' },
  { word: 'subject:', example: '"your code"', help: 'The subject' },
  { word: 'message-id:', example: 'abc@x.test', help: 'The Message-ID header' },
  { word: 'filename:', example: 'invoice.pdf', help: 'The name of a file' },
  { word: 'header:', example: 'x-campaign=spring', help: 'A header field, or one with this text in its value' },
  { word: 'body:', example: 'invoice', help: 'The text, or the HTML without its tags' },
  { word: 'thread:', example: '9f86d081884c7d65', help: 'The conversation with this id' },
  { word: 'has:', values: HAVINGS, help: 'Files, files shown in the mail, a code, or a link' },
  {
    word: 'is:',
    values: ['html', ...MARK_WORDS],
    help: 'The mail has an HTML body, or this mark; sms: a text message',
  },
  { word: 'tag:', example: 'spring', help: 'The tag of this name' },
  { word: 'after:', example: '1h', help: 'Received then or later: 1h, yesterday, 2026-11-20, a time in UTC' },
  { word: 'before:', example: '2026-11-20T15:55Z', help: 'Received earlier' },
  { word: 'larger:', example: '20k', help: 'More bytes; k and m for 1024 and 1024²' },
  { word: 'smaller:', example: '1.5m', help: 'Fewer bytes' },
];
