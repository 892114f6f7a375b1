import type { Commands } from '../command.ts';
import { AGENT_OPTION, MAILBOX_OPTION } from '../common-options.ts';
import { YES_OPTION } from '../yes-option.ts';
import { SEARCH_NOTES, withoutMinus } from './search-words.ts';

const FILTERS = {
  subject: { flag: 'subject', type: 'string', default: null, help: 'Contained in the subject, in any case' },
  from: { flag: 'from', type: 'string', default: null, help: 'Contained in the sender' },
  to: { flag: 'to', type: 'string', default: null, help: 'Contained in a recipient' },
} as const;

const QUERY = {
  flag: 'query',
  type: 'string',
  value: '<words>',
  default: null,
  help: 'Only what a search finds',
} as const;

const SEARCH_OPERANDS = [{ name: 'words', required: false, many: true }] as const;
const ID = [{ name: 'id', required: false }] as const;
const ID_NOTES = [
  'An id is whole, or the first letters of one. A number is a place in',
  '`messages list`: 1 is the newest, and all move on with each mail that comes.',
] as const;

export const MAIL_COMMANDS = {
  'mailboxes list': {
    group: 'Mail',
    summary: 'List the mailboxes',
    isClient: true,
    options: {},
    examples: ['mailboxes list', 'mailboxes list --json'],
    run: async (args) => (await import('./mailboxes.ts')).listMailboxes(args),
  },
  'mailboxes create': {
    group: 'Mail',
    summary: 'Create a mailbox, and print its id',
    isClient: true,
    operands: [{ name: 'name', required: true }],
    options: {
      subdomain: { flag: 'subdomain', type: 'string', default: null, help: 'Else derived from the name' },
      retentionDays: { flag: 'retention-days', type: 'count', default: null, help: 'Days; else as the plan says' },
    },
    examples: ['mailboxes create "Sign up"', 'mailboxes create checkout --retention-days 1'],
    run: async (args) => (await import('./mailboxes.ts')).createMailbox(args),
  },
  'mailboxes delete': {
    group: 'Mail',
    summary: 'Delete a mailbox with its mail',
    isClient: true,
    operands: [{ name: 'mailbox', required: true }],
    options: { yes: YES_OPTION },
    examples: ['mailboxes delete sign-up', 'mailboxes delete sign-up --yes'],
    run: async (args) => (await import('./mailboxes.ts')).deleteMailbox(args),
  },
  'messages list': {
    group: 'Mail',
    summary: 'List messages, newest first, or those that a search finds',
    isClient: true,
    operands: SEARCH_OPERANDS,
    normalize: withoutMinus,
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      query: QUERY,
      limit: { flag: 'limit', type: 'count', default: null, help: 'At most so many (50)' },
      before: { flag: 'before', type: 'string', value: '<id>', default: null, help: 'Only older than this message' },
    },
    notes: SEARCH_NOTES,
    examples: [
      'messages list',
      'messages list --mailbox sign-up from:shop has:code "your order"',
      'messages list --json | jq .[0].id',
    ],
    run: async (args) => (await import('./messages.ts')).listMessages(args),
  },
  'messages show': {
    group: 'Mail',
    summary: 'Show a message, the newest if no id is given',
    isClient: true,
    operands: ID,
    options: { mailbox: MAILBOX_OPTION, agent: AGENT_OPTION },
    notes: ID_NOTES,
    examples: ['messages show', 'messages show 2', 'messages show 01KAHW3F9Q --json'],
    run: async (args) => (await import('./messages.ts')).showMessage(args),
  },
  'messages wait': {
    group: 'Mail',
    summary: 'Wait for a message, its code or its link',
    isClient: true,
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      ...FILTERS,
      since: {
        flag: 'since',
        type: 'string',
        value: '<when>',
        default: null,
        help: 'Time, or so long ago as in 2m (5s)',
      },
      timeout: { flag: 'timeout', type: 'seconds', default: null, help: 'Exit code 3 when over (30)' },
      code: { flag: 'code', type: 'boolean', default: false, help: 'Print its code alone' },
      link: {
        flag: 'link',
        type: 'optional',
        value: '[kind]',
        default: null,
        help: 'Its link: verify magic reset invite unsubscribe other',
      },
    },
    examples: [
      'messages wait --to ada --code',
      'messages wait --subject "reset" --link reset --timeout 60',
      '$ code=$(mailcap messages wait --mailbox sign-up --since 1m --code)',
    ],
    run: async (args) => (await import('./wait.ts')).waitForMessage(args),
  },
  'messages check': {
    group: 'Mail',
    summary: 'Check a message for what its readers would meet',
    isClient: true,
    operands: ID,
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      clients: {
        flag: 'clients',
        type: 'string',
        value: '<names>',
        default: null,
        help: 'As gmail,outlook.windows; or all',
      },
      allow: { flag: 'allow', type: 'string', value: '<rules>', default: null, help: 'Rules to leave out' },
      deny: { flag: 'deny', type: 'string', value: '<rules>', default: null, help: 'Rules whose notes count' },
      reach: { flag: 'reach', type: 'boolean', default: false, help: 'Ask the targets of links' },
      notes: { flag: 'notes', type: 'boolean', default: false, help: 'Print notes too, which count for nothing' },
    },
    notes: [...ID_NOTES, 'Exit code 1 where there is an error or a warning, 0 where there is none.'],
    examples: [
      'messages check',
      'messages check 2 --clients gmail,outlook --allow link-http',
      "messages check --json | jq -r '.findings[].rule'",
    ],
    run: async (args) => (await import('./check.ts')).checkMessage(args),
  },
  'messages raw': {
    group: 'Mail',
    summary: 'Print the bytes of a message as received',
    isClient: true,
    operands: ID,
    options: { mailbox: MAILBOX_OPTION },
    notes: ID_NOTES,
    examples: ['messages raw > newest.eml', 'messages raw 2'],
    run: async (args) => (await import('./messages.ts')).rawMessage(args),
  },
  'messages delete': {
    group: 'Mail',
    summary: 'Delete messages: by id, by search words, or all of a mailbox',
    isClient: true,
    operands: [{ name: 'id-or-words', required: false, many: true }],
    normalize: withoutMinus,
    options: {
      mailbox: MAILBOX_OPTION,
      query: QUERY,
      all: { flag: 'all', type: 'boolean', default: false, help: 'Every message of the mailbox' },
      yes: YES_OPTION,
    },
    notes: [...ID_NOTES, 'Search words are those of `messages list`.'],
    examples: [
      'messages delete 1',
      'messages delete 01KAHW3F9Q --yes',
      'messages delete subject:newsletter before:2026-11-20',
      'messages delete --all --mailbox sign-up',
    ],
    run: async (args) => (await import('./messages.ts')).deleteMessages(args),
  },
  send: {
    group: 'Mail',
    summary: 'Send a mail through the API',
    isClient: true,
    operands: [{ name: 'to', required: true, many: true }],
    options: {
      mailbox: MAILBOX_OPTION,
      from: { flag: 'from', type: 'string', default: null, help: 'Else an address of the mailbox' },
      cc: { flag: 'cc', type: 'string', default: null, help: 'Further recipients, with commas', pair: 'bcc' },
      bcc: { flag: 'bcc', type: 'string', default: null },
      replyTo: { flag: 'reply-to', type: 'string', default: null, help: 'Where answers go' },
      subject: { flag: 'subject', type: 'string', default: null, help: 'Its subject' },
      text: {
        flag: 'text',
        type: 'string',
        default: null,
        help: 'Its bodies; else the text is standard input',
        pair: 'html',
      },
      html: { flag: 'html', type: 'string', default: null },
    },
    examples: [
      'send ada@inbox.mailcap.test --subject Hi --text "Code: 481516"',
      '$ mailcap send ada@inbox.mailcap.test --subject Log < build.log',
    ],
    run: async (args) => (await import('./send.ts')).send(args),
  },
  sendmail: {
    group: 'Mail',
    summary: 'Take the place of /usr/sbin/sendmail',
    operands: [{ name: 'recipient', required: false, many: true }],
    options: {},
    examples: [
      '$ sendmail_path = "mailcap sendmail -t -i"           (php.ini)',
      '$ ln -s "$(command -v mailcap)" /usr/sbin/sendmail   (cron and all others)',
      '$ printf "Subject: Hi\\n\\nHello.\\n" | mailcap sendmail ada@example.com',
    ],
    isRaw: true,
    run: async ({ operands }) => (await import('../sendmail/sendmail.ts')).sendmail(operands),
  },
  import: {
    group: 'Mail',
    summary: 'Put in .eml files, an mbox or a Maildir',
    isClient: true,
    operands: [{ name: 'path', required: true, many: true }],
    options: {
      mailbox: MAILBOX_OPTION,
      format: {
        flag: 'format',
        type: { oneOf: ['auto', 'eml', 'mboxrd', 'mboxo', 'maildir'] },
        value: '<format>',
        default: 'auto',
        help: 'eml, mboxrd, mboxo, maildir',
      },
    },
    examples: ['import mail.eml', 'import archive.mbox --mailbox sign-up', '$ zcat mail.mbox.gz | mailcap import -'],
    run: async (args) => (await import('../archive/import.ts')).importMail(args),
  },
  export: {
    group: 'Mail',
    summary: 'Write messages as .eml, mbox or Maildir',
    isClient: true,
    operands: [{ name: 'path', required: true }],
    options: {
      mailbox: MAILBOX_OPTION,
      query: QUERY,
      format: {
        flag: 'format',
        type: { oneOf: ['auto', 'eml', 'mbox', 'maildir'] },
        value: '<format>',
        default: 'auto',
        help: 'eml, mbox, maildir; else by the name',
      },
      force: { flag: 'force', type: 'boolean', default: false, help: 'Write over an mbox that is there' },
    },
    examples: ['export mail/', 'export archive.mbox --mailbox sign-up', '$ mailcap export - | gzip > mail.mbox.gz'],
    run: async (args) => (await import('../archive/export.ts')).exportMail(args),
  },
} as const satisfies Commands;
