/** An error breaks the mail for its reader, a warning hinders some. A note is for information and fails no check. */
export const SEVERITIES = ['error', 'warning', 'note'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** A rule of the checks: what it finds, and how to fix it. */
export interface Rule {
  readonly family: Family;
  /** The usual severity, or both where it depends on the mail. */
  readonly severity: Severity | readonly Severity[];
  /** The end of the sentence "It finds …". */
  readonly finds: string;
  readonly remedy: string;
}

type Family =
  | 'clients'
  | 'links'
  | 'placeholders'
  | 'unsubscribe'
  | 'accessibility'
  | 'size'
  | 'hygiene'
  | 'authentication'
  | 'spam';

/** All rules, in the order in which findings of the same severity are listed. docs/checks.md is generated from them. */
export const RULES = {
  placeholder: {
    family: 'placeholders',
    severity: 'error',
    finds: 'a template placeholder that no value replaced: in the subject, the text, a link, an image or its `alt`',
    remedy: 'Pass the value to the template, or give it a default.',
  },
  'dummy-text': {
    family: 'placeholders',
    severity: 'warning',
    finds: 'placeholder text of a draft, such as "lorem ipsum"',
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
    finds: 'a link that is not a URL or has no host',
    remedy: 'Write the whole address, with https:// and the host.',
  },
  'link-localhost': {
    family: 'links',
    severity: 'note',
    finds: 'a link or an image that only the sender’s machine or network can reach',
    remedy: 'Set the public address of the app. In a test against a local app, ignore this finding.',
  },
  'link-http': {
    family: 'links',
    severity: 'warning',
    finds: 'an http link to a public host',
    remedy: 'Link with https.',
  },
  'link-unreachable': {
    family: 'links',
    severity: 'error',
    finds: 'a link whose target does not answer or answers with an error; only with `reach`',
    remedy: 'Fix the address or the page.',
  },
  'active-content': {
    family: 'clients',
    severity: 'error',
    finds: 'a script, a frame or an event handler',
    remedy: 'Remove it, and link to a web page with this function.',
  },
  'client-support': {
    family: 'clients',
    severity: ['warning', 'note'],
    finds:
      'HTML, CSS or an image format that a client does not support. It is a warning if content or layout is lost, a note if the mail only looks plainer. The detail is the name of the feature at caniemail.com',
    remedy: 'Use a feature that the clients support, or add a fallback.',
  },
  'image-alt': {
    family: 'accessibility',
    severity: 'warning',
    finds: 'an image without an `alt` attribute, except tracking pixels',
    remedy: 'Describe the image in alt, or write alt="" if it only decorates.',
  },
  'link-name': {
    family: 'accessibility',
    severity: 'warning',
    finds: 'a link without text and without an image that has an alternative text',
    remedy: 'Add a text to the link, or an alt to its image.',
  },
  contrast: {
    family: 'accessibility',
    severity: ['warning', 'note'],
    finds:
      'text with too little contrast between its colours in `style` and attributes: a warning below 3:1 (2:1 for large text), a note below 4.5:1 (3:1), the limit of WCAG AA. Text that a style sheet colours is not checked',
    remedy: 'Make the text darker, or its background lighter.',
  },
  lang: {
    family: 'accessibility',
    severity: ['warning', 'note'],
    finds: 'HTML that does not declare its language; a note if it is not a whole document',
    remedy: 'Declare the language in the first element: <html lang="en">.',
  },
  'table-role': {
    family: 'accessibility',
    severity: ['warning', 'note'],
    finds: 'a layout table without `role="presentation"`; a note if there are at most three',
    remedy: 'Add role="presentation" to the tables that are only for layout.',
  },
  'heading-order': {
    family: 'accessibility',
    severity: 'note',
    finds: 'a heading that skips a level, such as an h3 after an h1, or an empty one',
    remedy: 'Skip no level, and set the size of a heading by CSS.',
  },
  title: {
    family: 'accessibility',
    severity: 'note',
    finds: 'a whole document without a title',
    remedy: 'Put the subject into <title>.',
  },
  'gmail-clip': {
    family: 'size',
    severity: 'warning',
    finds: 'HTML of more than 102,400 bytes, which Gmail clips',
    remedy: 'Shorten the HTML: use fewer inline styles, and remove comments and indentation.',
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
    finds: 'a Date header that is missing or invalid (RFC 5322 3.3)',
    remedy: 'Let the mail library write the Date.',
  },
  'message-id-invalid': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'a Message-ID header that is missing or malformed',
    remedy: 'Let the mail library write the Message-ID: <unique@your.domain>.',
  },
  'header-repeated': {
    family: 'hygiene',
    severity: 'error',
    finds: 'a header that occurs twice although only one is allowed (RFC 5322 3.6)',
    remedy: 'Write the header once.',
  },
  'text-missing': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'HTML without a text part',
    remedy: 'Add a text part to the mail.',
  },
  'text-differs': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'a text part with another content than the HTML, judged by the words that both contain',
    remedy: 'Generate the text part from the same content as the HTML.',
  },
  preheader: {
    family: 'hygiene',
    severity: 'note',
    finds: 'a mail whose preview in the list begins with "view in browser", a URL or a similar text',
    remedy: 'Begin the HTML with a short sentence about the mail. It may be hidden.',
  },
  'line-length': {
    family: 'hygiene',
    severity: 'error',
    finds: 'a line of more than 998 bytes (RFC 5322 2.1.1)',
    remedy: 'Encode the part as quoted-printable or base64.',
  },
  'eight-bit': {
    family: 'hygiene',
    severity: 'warning',
    finds: 'non-ASCII bytes in a header, or in a part that does not declare 8bit (RFC 2045 6.2)',
    remedy: 'Encode headers by RFC 2047 and bodies as quoted-printable or base64.',
  },
  'unsubscribe-missing': {
    family: 'unsubscribe',
    severity: 'warning',
    finds:
      'bulk mail without a List-Unsubscribe header. A mail is bulk mail if it has a mailing list header or `Precedence: bulk`, or if its text offers to unsubscribe',
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
      'a List-Unsubscribe header without one-click unsubscribe: it has no https address, or List-Unsubscribe-Post is missing or invalid (RFC 8058)',
    remedy: 'Add List-Unsubscribe-Post: List-Unsubscribe=One-Click, and an https address that accepts the POST.',
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
    finds:
      'an invalid DKIM signature. The body hash is always checked, and the signature if the configured zone has its key',
    remedy: 'Sign after the last step that changes the mail, and publish the signing key.',
  },
  'dmarc-fail': {
    family: 'authentication',
    severity: 'error',
    finds: 'a mail that fails the DMARC policy of its From domain in the configured zone',
    remedy: 'Sign with the domain of From, or send from a host that its SPF record allows.',
  },
  'spam-score': {
    family: 'spam',
    severity: ['warning', 'note'],
    finds:
      'a mail that the SpamAssassin daemon of `--spamd` rates as spam, with the rules that matched; a note if rules cost points but the mail stays below the threshold',
    remedy: 'Fix what the rules name. The rule with the most points comes first.',
  },
  'spam-unscored': {
    family: 'spam',
    severity: 'note',
    finds: 'a mail that the daemon of `--spamd` did not score',
    remedy: 'Start the daemon, or start the server without --spamd.',
  },
} as const satisfies Record<string, Rule>;

export type RuleId = keyof typeof RULES;

export function isRule(text: string): text is RuleId {
  return Object.hasOwn(RULES, text);
}
