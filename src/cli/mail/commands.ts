import { AGENT_OPTION, type Commands, MAILBOX_OPTION, YES_OPTION } from '../command.ts';
import { SEARCH_NOTES, withoutMinus } from './search-words.ts';

const FILTERS = {
  subject: { type: 'string', help: 'Text in the subject; case is ignored' },
  from: { type: 'string', help: 'Text in the sender' },
  to: { type: 'string', help: 'Text in a recipient' },
} as const;

const QUERY = { type: 'string', value: '<words>', help: 'Search words; only messages that match' } as const;

const SEARCH_OPERANDS = [{ name: 'words', required: false, many: true }] as const;
const ID = [{ name: 'id', required: false }] as const;
const ID_NOTES = [
  'Give an id, the first letters of an id, or a position in `messages list`:',
  '1 is the newest message, and each new mail moves the others on by one.',
] as const;

/** The operands of a command on messages that are named, or that search words find. */
const NAMED_OR_FOUND = {
  operands: [{ name: 'id-or-words', required: false, many: true }],
  normalize: withoutMinus,
  notes: [...ID_NOTES, 'The search words are those of `messages list`.'],
} as const;

export const MAIL_COMMANDS = {
  inbox: {
    summary: 'Read the mail of a running server on the terminal',
    page: 'cli#the-terminal-inbox',
    options: { mailbox: MAILBOX_OPTION },
    examples: ['inbox', 'inbox --mailbox sign-up'],
    run: async (args) => (await import('../inbox.ts')).inbox(args),
  },
  'mailboxes list': {
    summary: 'List the mailboxes',
    options: { everywhere: { type: 'boolean', help: 'List those of all workspaces' } },
    examples: ['mailboxes list', 'mailboxes list --everywhere', 'mailboxes list --json'],
    run: async (args) => (await import('./mailboxes.ts')).listMailboxes(args),
  },
  'mailboxes create': {
    summary: 'Create a mailbox, and print its id',
    operands: [{ name: 'name', required: true }],
    options: {
      subdomain: { type: 'string', help: 'Its subdomain; default: from the name' },
      retentionDays: { type: 'count', help: 'Days to keep mail; default: by the plan' },
    },
    examples: ['mailboxes create "Sign up"', 'mailboxes create checkout --retention-days 1'],
    run: async (args) => (await import('./mailboxes.ts')).createMailbox(args),
  },
  'mailboxes update': {
    summary: 'Change name, days, sending or allowlist of a mailbox',
    page: 'api#messages-of-all-mailboxes',
    operands: [{ name: 'mailbox', required: true }],
    options: {
      name: { type: 'string', help: 'New name; the subdomain stays' },
      retentionDays: { type: 'count', help: 'Days to keep mail' },
      outbound: { type: { oneOf: ['on', 'off'] }, help: 'on: it may send' },
      allow: { type: 'texts', value: '<address>', help: 'Recipient to allow; repeatable' },
      disallow: { type: 'texts', value: '<address>', help: 'Entry to remove; repeatable' },
    },
    notes: [
      'An entry of the allowlist is an address, *@domain or *.domain. Without an',
      'option, it prints the settings.',
    ],
    examples: ['mailboxes update inbox --allow "*@acme.test"', 'mailboxes update sign-up --retention-days 1'],
    run: async (args) => (await import('./mailboxes.ts')).updateMailbox(args),
  },
  'mailboxes delete': {
    summary: 'Delete a mailbox with its mail',
    operands: [{ name: 'mailbox', required: true }],
    options: { yes: YES_OPTION },
    examples: ['mailboxes delete sign-up', 'mailboxes delete sign-up --yes'],
    run: async (args) => (await import('./mailboxes.ts')).deleteMailbox(args),
  },
  'messages list': {
    summary: 'List messages, newest first, or those that a search finds',
    page: 'search',
    operands: SEARCH_OPERANDS,
    normalize: withoutMinus,
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      query: QUERY,
      limit: { type: 'count', help: 'Most messages to list (50); an id: only older', pair: 'before' },
      before: { type: 'string', value: '<id>' },
      everywhere: { type: 'boolean', help: 'List those of all mailboxes' },
    },
    notes: SEARCH_NOTES,
    examples: ['messages list --mailbox sign-up from:shop has:code "your order"', 'messages list --json | jq .[0].id'],
    run: async (args) => (await import('./messages.ts')).listMessages(args),
  },
  'messages show': {
    summary: 'Show a message, the newest if no id is given',
    operands: ID,
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      why: { type: 'boolean', help: 'Candidates for the code and link, and why' },
    },
    notes: ID_NOTES,
    examples: ['messages show', 'messages show 2', 'messages show --why', 'messages show 01KAHW3F9Q --json'],
    run: async (args) => (await import('./messages.ts')).showMessage(args),
  },
  'messages wait': {
    summary: 'Wait for a message, its code or its link',
    page: 'cli#wait-for-mail-in-a-shell-script',
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      ...FILTERS,
      body: { type: 'string', help: 'Text in the visible body; search words', pair: 'query' },
      query: { type: 'string' },
      since: { type: 'string', value: '<when>', help: 'A time, or how long ago, as in 2m (5s)' },
      timeout: { type: 'seconds', help: 'Time to wait; then exit code 3 (30)' },
      sms: { type: 'boolean', help: 'Wait for a text message' },
      code: { type: 'boolean', help: 'Print only its code' },
      link: { type: 'optional', value: '[kind]', help: 'Link: verify magic reset invite unsubscribe other' },
    },
    examples: [
      'messages wait --subject "reset" --link reset --timeout 60',
      '$ code=$(mailcap messages wait --mailbox sign-up --since "$start" --code)',
    ],
    run: async (args) => (await import('./wait.ts')).waitForMessage(args),
  },
  'messages check': {
    summary: 'Check a message for problems that its readers would have',
    page: 'checks',
    operands: ID,
    options: {
      mailbox: MAILBOX_OPTION,
      agent: AGENT_OPTION,
      clients: { type: 'string', value: '<names>', help: 'Mail clients, as gmail,outlook.windows; or all' },
      allow: { type: 'string', value: '<rules>', help: 'Rules to ignore' },
      deny: { type: 'string', value: '<rules>', help: 'Rules whose notes count as warnings' },
      reach: { type: 'boolean', help: 'Request each link to see whether it works' },
      notes: { type: 'boolean', help: 'Print notes too; they never fail the check' },
    },
    notes: [...ID_NOTES, 'The exit code is 1 if there is an error or a warning, and 0 if there is none.'],
    examples: [
      'messages check',
      'messages check 2 --clients gmail,outlook --allow link-http',
      "messages check --json | jq -r '.findings[].rule'",
    ],
    run: async (args) => (await import('./check.ts')).checkMessage(args),
  },
  'messages raw': {
    summary: 'Print the bytes of a message as received',
    operands: ID,
    options: { mailbox: MAILBOX_OPTION },
    notes: ID_NOTES,
    examples: ['messages raw > newest.eml', 'messages raw 2'],
    run: async (args) => (await import('./messages.ts')).rawMessage(args),
  },
  'messages attachments': {
    summary: 'List the attachments of a message, print one, or save them',
    page: 'cli#ids-numbers-and-names',
    operands: ID,
    options: {
      mailbox: MAILBOX_OPTION,
      name: { type: 'string', help: 'Print the bytes of this one: a name or a position' },
      save: { type: 'string', value: '<directory>', help: 'Save them under safe names' },
      force: { type: 'boolean', help: 'Overwrite existing files' },
    },
    notes: ID_NOTES,
    examples: [
      'messages attachments 2',
      'messages attachments --name 1 > invoice.pdf',
      'messages attachments --save files',
    ],
    run: async (args) => (await import('./attachments.ts')).attachments(args),
  },
  'messages report': {
    summary: 'Tell the webhooks of a provider what the reader did',
    page: 'providers#events',
    operands: ID,
    options: {
      mailbox: MAILBOX_OPTION,
      opened: { type: 'boolean', help: 'The reader opened the mail' },
      clicked: { type: 'string', value: '<link>', help: 'The reader clicked this link' },
      unsubscribed: { type: 'boolean', help: 'The reader unsubscribed' },
      complained: { type: 'boolean', help: 'The reader reported the mail as spam' },
    },
    notes: ID_NOTES,
    examples: ['messages report --opened', 'messages report 2 --clicked https://shop.example/orders/7'],
    run: async (args) => (await import('./mark.ts')).reportInteraction(args),
  },
  'messages reply': {
    summary: 'Reply to a message, or to a text message as the phone',
    page: 'text-messages#texts-to-the-app',
    operands: ID,
    options: {
      mailbox: MAILBOX_OPTION,
      text: { type: 'string', help: 'The reply; default: the text from standard input' },
    },
    notes: ID_NOTES,
    examples: ['messages reply --text STOP', 'messages reply 2 --text "Yes, please."'],
    run: async (args) => (await import('./send.ts')).reply(args),
  },
  'messages mark': {
    summary: 'Mark messages by id or search words: read, starred, tagged',
    page: 'search',
    ...NAMED_OR_FOUND,
    options: {
      mailbox: MAILBOX_OPTION,
      query: QUERY,
      read: { type: 'boolean', help: 'Mark as read; --unread takes it back' },
      unread: { type: 'boolean', help: 'Mark as unread' },
      star: { type: 'boolean', help: 'Give a star; --unstar takes it away' },
      unstar: { type: 'boolean', help: 'Take the star away' },
      tag: { type: 'list', help: 'Tags to add, with commas between them' },
      untag: { type: 'list', help: 'Tags to remove' },
    },
    examples: ['messages mark 1 --read', 'messages mark from:shop is:unread --read --tag shop,spring'],
    run: async (args) => (await import('./mark.ts')).markMessages(args),
  },
  'messages delete': {
    summary: 'Delete messages by id or search words, or all of a mailbox',
    page: 'search',
    ...NAMED_OR_FOUND,
    options: {
      mailbox: MAILBOX_OPTION,
      query: QUERY,
      all: { type: 'boolean', help: 'Delete every message of the mailbox' },
      yes: YES_OPTION,
    },
    examples: [
      'messages delete 1',
      'messages delete 01KAHW3F9Q --yes',
      'messages delete subject:newsletter before:2026-11-20',
      'messages delete --all --mailbox sign-up',
    ],
    run: async (args) => (await import('./messages.ts')).deleteMessages(args),
  },
  send: {
    summary: 'Send a mail through the API, or a text message to a number',
    page: 'api#outbound',
    operands: [{ name: 'to', required: true, many: true }],
    options: {
      mailbox: MAILBOX_OPTION,
      from: { type: 'string', help: 'Sender; default: an address of the mailbox' },
      cc: { type: 'string', help: 'More recipients, with commas between them', pair: 'bcc' },
      bcc: { type: 'string' },
      replyTo: { type: 'string', help: 'Address for replies' },
      subject: { type: 'string', help: 'Subject' },
      text: { type: 'string', help: 'Bodies; default: the text from standard input', pair: 'html' },
      html: { type: 'string' },
      attach: { type: 'texts', value: '<file>', help: 'File to attach; repeatable' },
    },
    notes: ['With a file the mail goes by SMTP, because the API takes none.'],
    examples: [
      'send ada@inbox.mailcap.example.com --subject Hi --text "Code: 481516"',
      'send +12025550101 --text "Code: 481516" --from Shop',
      '$ mailcap send ada@inbox.mailcap.example.com --subject Log < build.log',
    ],
    run: async (args) => (await import('./send.ts')).send(args),
  },
  sendmail: {
    summary: 'Send a mail as /usr/sbin/sendmail does',
    besides: 'send',
    page: 'cli#wait-for-mail-in-a-shell-script',
    operands: [{ name: 'recipient', required: false, many: true }],
    examples: [
      '$ sendmail_path = "mailcap sendmail -t -i"           (php.ini)',
      '$ ln -s "$(command -v mailcap)" /usr/sbin/sendmail   (cron and all others)',
      '$ printf "Subject: Hi\\n\\nHello.\\n" | mailcap sendmail ada@example.com',
    ],
    isRaw: true,
    run: async ({ operands }) => (await import('../sendmail/sendmail.ts')).sendmail(operands),
  },
  import: {
    summary: 'Import .eml files, an mbox or a Maildir',
    page: 'cli#wait-for-mail-in-a-shell-script',
    operands: [{ name: 'path', required: true, many: true }],
    options: {
      mailbox: MAILBOX_OPTION,
      format: {
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
    summary: 'Export messages as .eml files, an mbox or a Maildir',
    besides: 'import',
    page: 'cli#wait-for-mail-in-a-shell-script',
    operands: [{ name: 'path', required: true }],
    options: {
      mailbox: MAILBOX_OPTION,
      query: QUERY,
      format: {
        type: { oneOf: ['auto', 'eml', 'mbox', 'maildir'] },
        value: '<format>',
        default: 'auto',
        help: 'eml, mbox, maildir; auto: by the name',
      },
      force: { type: 'boolean', help: 'Overwrite an existing mbox or .eml files' },
    },
    examples: ['export mail/', 'export archive.mbox --mailbox sign-up', '$ mailcap export - | gzip > mail.mbox.gz'],
    run: async (args) => (await import('../archive/export.ts')).exportMail(args),
  },
} as const satisfies Commands;
