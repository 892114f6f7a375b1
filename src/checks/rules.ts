import type { Severity } from './severity.ts';

/** A rule of the checks: what it finds and how to mend it. */
export interface Rule {
  readonly family: Family;
  /** The usual severity, or both where it depends on the mail. */
  readonly severity: Severity | readonly Severity[];
  /** The end of the sentence "It finds …". */
  readonly finds: string;
  readonly remedy: string;
}

export type Family =
  | 'clients'
  | 'links'
  | 'placeholders'
  | 'unsubscribe'
  | 'accessibility'
  | 'size'
  | 'hygiene'
  | 'authentication'
  | 'spam';

/** All rules, in the order in which findings of the same severity are listed. docs/checks.md is made of this table. */
export const RULES = {
  placeholder: {
    family: 'placeholders',
    severity: 'error',
    finds: 'a placeholder that no value replaced: in the subject, the text, a link, an image or its alternative text',
    remedy: 'Pass the value to the template, or give it a default.',
  },
  'dummy-text': {
    family: 'placeholders',
    severity: 'warning',
    finds: 'text that only fills a draft, such as "lorem ipsum"',
    remedy: 'Write the real text.',
  },
  'link-empty': {
    family: 'links',
    severity: 'error',
    finds: 'a link without a target: an empty `href`, or `#`',
    remedy: 'Give the link its address, or remove it.',
  },
  'link-invalid': {
    family: 'links',
    severity: 'error',
    finds: 'a link that no mail program can follow: no URL, or one without a host',
    remedy: 'Write the whole address, with https:// and the host.',
  },
  'link-localhost': {
    family: 'links',
    severity: 'note',
    finds: 'a link or an image that only the sender’s machine or network can reach',
    remedy: 'Set the public address of the app. In a test against a local app this is expected.',
  },
  'link-http': {
    family: 'links',
    severity: 'warning',
    finds: 'a link to a public host by http',
    remedy: 'Link by https.',
  },
  'link-unreachable': {
    family: 'links',
    severity: 'error',
    finds: 'a link whose target does not answer, or with an error; only with `reach`',
    remedy: 'Mend the address, or the page.',
  },
  'active-content': {
    family: 'clients',
    severity: 'error',
    finds: 'a script, a frame or an event handler, which every mail program removes',
    remedy: 'Remove it, and link to a page that does it.',
  },
  'client-support': {
    family: 'clients',
    severity: ['warning', 'note'],
    finds:
      'HTML, CSS or an image format that a client does not support. A warning where content or layout is lost without it, a note where the mail only looks plainer. The detail is the feature’s name at caniemail.com',
    remedy: 'Use what the clients support, or give a fallback.',
  },
  'image-alt': {
    family: 'accessibility',
    severity: 'warning',
    finds: 'an image without an `alt` attribute, except pixels that count readers',
    remedy: 'Describe the image in alt, or write alt="" if it only decorates.',
  },
  'link-name': {
    family: 'accessibility',
    severity: 'warning',
    finds: 'a link that a screen reader has no name for: no text, and no alternative text of an image',
    remedy: 'Write a text into the link, or give its image an alt.',
  },
  contrast: {
    family: 'accessibility',
    severity: ['warning', 'note'],
    finds:
      'text whose colours in `style` and attributes are too alike: a warning below 3:1 (2:1 for large text), a note below the 4.5:1 (3:1) of WCAG AA. Text that a style sheet colours is not judged',
    remedy: 'Make the text darker, or its background lighter.',
  },
  lang: {
    family: 'accessibility',
    severity: ['warning', 'note'],
    finds: 'HTML that does not name its language; a note if it is no whole document',
    remedy: 'Write the language into the first element: <html lang="en">.',
  },
  'table-role': {
    family: 'accessibility',
    severity: ['warning', 'note'],
    finds: 'a table for layout without `role="presentation"`, which a screen reader reads as data; a note up to three',
    remedy: 'Write role="presentation" into the tables that only place things.',
  },
  'heading-order': {
    family: 'accessibility',
    severity: 'note',
    finds: 'a heading that skips a level, such as an h3 after an h1, or an empty one',
    remedy: 'Use the levels one after another, and style them by CSS.',
  },
  title: {
    family: 'accessibility',
    severity: 'note',
    finds: 'a whole document without a title, which screen readers and browsers show',
    remedy: 'Write the subject into <title>.',
  },
  'gmail-clip': {
    family: 'size',
    severity: 'warning',
    finds: 'HTML of more than 102,400 bytes, which Gmail clips. What follows is hidden, often the unsubscribe link',
    remedy: 'Shorten the HTML: fewer inline styles, no comments, no indentation.',
  },
  'from-missing': {
    family: 'hygiene',
    severity: 'error',
    finds: 'a mail without a From header, or with an empty one (RFC 5322 3.6)',
    remedy: 'Set the sender.',
  },
  'subject-missing': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'a mail without a subject',
    remedy: 'Set a subject.',
  },
  'date-invalid': {
    family: 'hygiene',
    severity: 'error',
    finds: 'a Date header that is missing or is no date (RFC 5322 3.3)',
    remedy: 'Let the mail library write the Date.',
  },
  'message-id-invalid': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'a Message-ID header that is missing or malformed. Without one, servers take mails for copies or for spam',
    remedy: 'Let the mail library write the Message-ID: <unique@your.domain>.',
  },
  'header-repeated': {
    family: 'hygiene',
    severity: 'error',
    finds: 'a header that may stand only once and stands twice (RFC 5322 3.6). Gmail refuses such a mail',
    remedy: 'Write the header once.',
  },
  'text-missing': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'HTML without a text part, which counts as spam and shows nothing where HTML is not shown',
    remedy: 'Send a text part beside the HTML.',
  },
  'text-differs': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'a text part that says something else than the HTML, judged by the words they share',
    remedy: 'Make the text part from the same content as the HTML.',
  },
  preheader: {
    family: 'hygiene',
    severity: 'note',
    finds: 'a mail whose preview in the list begins with "view in browser", an address or the like',
    remedy: 'Begin the HTML with a short sentence about the mail, which may be hidden.',
  },
  'line-length': {
    family: 'hygiene',
    severity: 'error',
    finds: 'a line of more than 998 bytes (RFC 5322 2.1.1). Servers break or refuse it, which also breaks DKIM',
    remedy: 'Encode the part as quoted-printable or base64.',
  },
  'eight-bit': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'bytes beyond ASCII in a header, or in a part that does not declare 8bit (RFC 2045 6.2)',
    remedy: 'Encode headers by RFC 2047 and bodies as quoted-printable or base64.',
  },
  'unsubscribe-missing': {
    family: 'unsubscribe',
    severity: 'warning',
    finds: 'mail to many without a List-Unsubscribe header: it names a list, or its text offers to unsubscribe',
    remedy: 'Add List-Unsubscribe: <https://…> and List-Unsubscribe-Post: List-Unsubscribe=One-Click.',
  },
  'unsubscribe-invalid': {
    family: 'unsubscribe',
    severity: 'error',
    finds: 'a List-Unsubscribe header without a valid address in angle brackets (RFC 2369)',
    remedy: 'Write List-Unsubscribe: <https://example.com/u/123>.',
  },
  'unsubscribe-one-click': {
    family: 'unsubscribe',
    severity: 'warning',
    finds:
      'a List-Unsubscribe header without one click: no https address, or no valid List-Unsubscribe-Post (RFC 8058)',
    remedy: 'Add List-Unsubscribe-Post: List-Unsubscribe=One-Click, and an https address that takes the POST.',
  },
  'unsubscribe-unsigned': {
    family: 'unsubscribe',
    severity: 'warning',
    finds: 'a signed mail whose DKIM signatures do not cover List-Unsubscribe and List-Unsubscribe-Post (RFC 8058 4)',
    remedy: 'Add both headers to the list of signed headers.',
  },
  'dkim-invalid': {
    family: 'authentication',
    severity: 'error',
    finds: 'a DKIM signature that does not verify: over the body always, with its key where the configured zone has it',
    remedy: 'Sign last, after everything that changes the mail, and publish the key that signs.',
  },
  'dmarc-fail': {
    family: 'authentication',
    severity: 'error',
    finds: 'mail that fails the DMARC policy of its From domain in the configured zone',
    remedy: 'Sign with the domain of From, or send from a host that its SPF policy names.',
  },
  'spam-score': {
    family: 'spam',
    severity: ['warning', 'note'],
    finds:
      'mail that the SpamAssassin daemon of `--spamd` calls spam, with the rules that hit; a note where rules cost points and are too few',
    remedy: 'Mend what the rules are about. The rule that costs most stands first.',
  },
  'spam-unscored': {
    family: 'spam',
    severity: 'note',
    finds: 'that the daemon of `--spamd` gave no score',
    remedy: 'Start the daemon, or the server without --spamd.',
  },
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;

export function isRule(text: string): text is RuleId {
  return Object.hasOwn(RULES, text);
}
