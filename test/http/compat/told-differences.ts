/** A difference from a real server: where, why, and how it must look. */
export type Told = readonly [at: RegExp, why: string, test?: (theirs: unknown, ours: unknown) => boolean];

const areTimes = (...all: unknown[]) => all.every((one) => typeof one === 'string' && !Number.isNaN(Date.parse(one)));
const isJson = (_theirs: unknown, ours: unknown) => ours === 'application/json';
const isAdded = (theirs: unknown, ours: unknown) => theirs === undefined && ours !== undefined;
const isLeftOut = (theirs: unknown, ours: unknown) => theirs !== undefined && ours === undefined;
const oneLineEnd = (text: unknown) => String(text).replace(/\r\n/g, '\n');

export const TOLD: Readonly<Record<string, readonly Told[]>> = {
  mailpit: [
    [
      /\/Created$|^message (?:7|11|15)\/body\/Date$|^sent message\/body\/Date$/,
      'the times are those of two runs',
      areTimes,
    ],
    [
      /^(?:messages.*|sent list.*|(?:sent )?message(?: \d+)?\/body|latest.*)\/Size$/,
      'Mailpit counts the fields that it adds',
      (a, b) => Number(a) > Number(b),
    ],
    [/^raw \d+\/body\/(?:bytes|sha256)$/, 'Mailpit adds fields to the source: Received, Return-Path, Bcc, Message-ID'],
    [/^headers \d+\/body\/(?:Bcc|Received|Return-Path|Message-Id)$/, 'Mailpit adds these fields', isLeftOut],
    [/^headers \d+\/body\/(?:Received|Return-Path)\/\d+$/, 'Mailpit adds its own in front'],
    [
      /\/MessageID$/,
      'Mailpit makes a Message-ID where the mail has none',
      (a, b) => /@mailpit$/.test(String(a)) && (b === '' || /@mailcap\.example\.com$/.test(String(b))),
    ],
    [/^headers 8\/body\/From xxxx/, 'a line of mbox is no field here', isLeftOut],
    [
      /^headers 8\/body\/Content-Type\/0$/,
      'Go joins a folded line with one space',
      (a, b) => String(b).replace(/\s+/g, ' ') === a,
    ],
    [
      /\/To$/,
      'Mailpit lists null where the mail has no To',
      (a, b) => a === null && Array.isArray(b) && b.length === 0,
    ],
    [/\/Snippet$/, 'the snippet leaves out hidden text, and the line between two parts'],
    [
      /\/body\/(?:Text|HTML)$|^text \d+\/body$/,
      'every line ends with CRLF, also in base64, and the last line end of a body is left out',
      (a, b) => a !== b && oneLineEnd(a).trim() === oneLineEnd(b).trim() && !/(?<!\r)\n/.test(String(b)),
    ],
    [
      /^(?:message (?:2|3|9|10)\/body\/Text|text (?:2|3|9|10)\/body)$/,
      'several texts are joined without a line of dashes',
    ],
    [/^message 10\/body\/Attachments\/|^attachment 10 /, 'files come in their order in the mail'],
    [/^search !?has:(?:attachment|inline)\//, 'has:attachment also finds files that are shown inline'],
    [/^search smaller:1kb\//, 'the sizes differ by the fields that Mailpit adds'],
    [/^search 481516\//, 'the text is searched too where there is HTML'],
    [
      /^(?:latest|view|text) of none\/type$/,
      'every answer with content has a type',
      (a, b) => a === '' && b === 'text/plain',
    ],
    [/^send with a file that is no base64\/body\/Error$/, 'the position of the first wrong byte is left out'],
    [/^sent message\/body\/Inline\/0\/PartID$/, 'the message is composed of other multiparts'],
    [/^link check\/body\/Links\/0\/Status/, 'a server on loopback also asks local addresses'],
    [/^spam check\/body$/, 'the answer names the option', (_theirs, ours) => /--spamd/.test(String(ours))],
    [
      /^webui\/body\/Rspamd$/,
      'Mailpit has this field since 1.33, and the recording is older',
      (a, b) => a === undefined && b === false,
    ],
  ],
  mailhog: [
    [/\/type$/, 'JSON is application/json', isJson],
    [/^delete (?:one|all)\/type$/, 'an answer without content has no type'],
    [/\/Created$/, 'the times are those of two runs', areTimes],
    [
      /\/Headers\/Received\/\d+$/,
      'the last Received is written by the server that received it',
      (a, b) => /MailHog/.test(String(a)) && /mailcap/.test(String(b)),
    ],
    [/^search (?:of no kind|without query)\/(?:type|body)$/, 'an error says why'],
    [/^search containing Subject\//, 'a search looks at the decoded mail, not at every header field'],
    [/^source \d+\/body(?:\/|$)/, 'the source is the mail as the client sent it'],
    [
      /^part \d+ \d+\/type$/,
      'a part without a type has that of bytes: nothing is guessed',
      (_theirs, ours) => ours === 'application/octet-stream',
    ],
  ],
  'maildev 2': [
    [/\/body\/source$/, 'the source is an address, not a file of the server'],
    [/^source \d+\/type$/, 'the source has a type'],
    [/^email (?:7|11|15)\/body\/time$/, 'the time of a mail without Date is that of its receipt', areTimes],
    [/^email \d+\/body\/attachments\/\d+\/(?:filename|size)$/, 'the fields of version 3 are there too', isAdded],
    [
      /^email \d+\/body\/attachments\/\d+\/transferEncoding$|^email \d+\/body\/receivedDate$/,
      'what a Received field and a transfer encoding say is left out',
      isLeftOut,
    ],
    [
      /^email \d+\/body\/attachments\/\d+\/(?:contentId|generatedFileName)$/,
      'no Content-ID is made up for a file without one',
      (a, b) => b === undefined || a !== b,
    ],
    [
      /^email \d+\/body\/(?:text|html|subject|to|from|headers)(?:\/|$)/,
      'its old parser reads some charsets and addresses wrongly, joins texts otherwise, and writes HTML anew',
    ],
    [
      /^email 7\/body\/attachments(?:\/\d+\/fileName)?$|^attachment \d+ \d+$/,
      'a text with a name behind the first part is attached (RFC 8621 4.1.4)',
    ],
    [/^email \d+\/body\/attachments\/\d+\/fileName$/, 'a file without a name gets none'],
    [/^emails skip=/, 'the order is that of receipt, sort and limit are those of version 3'],
    [
      /^(?:summary|delete some|delete unknown)\//,
      'the requests of version 3 are there too, and its status for an unknown email',
    ],
  ],
  maildev: [
    [/\/body\/source$/, 'the source is an address, not a file of the server'],
    [/^email (?:7|11|15)\/body\/time$/, 'the time of a mail without Date is that of its receipt', areTimes],
    [/^email \d+\/body\/headers\/[\w-]+$/, 'all fields are there, not only those that hold plain text', isAdded],
    [/^email 13\/body\/headers\/references$/, 'references are as written'],
    [/^email \d+\/body\/envelope\/(?:host|remoteAddress)$/, 'the envelope tells who sent', isAdded],
    [/^source \d+\/type$/, 'the source has a type'],
    [/^email 1\/body\/html$/, 'MailDev puts inline pictures into the HTML'],
    [
      /^email 7\/body\/(?:text|attachments\/\d+)$|^attachment 7 /,
      'a text with a name behind the first part is attached (RFC 8621 4.1.4)',
    ],
    [
      /^emails skip=1&limit=3&sort=desc\/|^summary\/body\/items\//,
      'the order is that of receipt, not of the Date header',
    ],
  ],
};

/** The differences that only the many mails of the night show: broken mail, reports and rare fields. */
export const TOLD_OF_MANY: Readonly<Record<string, readonly Told[]>> = {
  mailpit: [
    [/^message \d+\/body\/Date$/, 'a mail without a readable Date has the time of its receipt', areTimes],
    [
      /\/(?:From|To|Cc|ReplyTo)(?:\/|$)/,
      'address lists that Go refuses as a whole are read name by name, and a group without members is none',
    ],
    [/\/Bcc(?:\/|$)/, 'recipients of the envelope are not added to a Bcc field that the mail has'],
    [
      /\/Subject(?:\/0)?$/,
      'bytes of other charsets and damaged words are read, and no space is left at the end',
      (a, b) => /\ufffd|=\?/.test(String(a)) || String(a).trim() === b,
    ],
    [
      /\/Attachments$|\/(?:Attachments|Inline)\/\d+(?:\/|$)|^(?:attachment|inline) \d+ \d+(?:\/|$)/,
      'the parts of a report are files, a file is inline if the HTML shows it, and damaged parts are read otherwise',
    ],
    [
      /^(?:message \d+\/body\/(?:Text|HTML)|text \d+\/body(?:\/bytes|\/sha256)?)$/,
      'texts with a name are files, several texts are joined without dashes, and damaged bodies are read otherwise',
    ],
    [/^raw \d+\/body$/, 'Mailpit adds fields to the source'],
    [
      /^headers \d+\/body\/Content-Type\/\d+$/,
      'Go joins a folded line with one space',
      (a, b) => String(b).replace(/\s+/g, ' ') === a,
    ],
    [/^headers \d+\/body\/>?From /, 'a line of mbox is no field here', isLeftOut],
    [/^headers \d+\/body\/quite Delivered-To$/i, 'a name with a space in it is written as other names'],
  ],
  mailhog: [
    [
      /\/Headers\/(?:from|sender|reply-to|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|content-[a-z-]+|return-path)(?:\/\d+)?$/i,
      'the fields of mail have their usual spelling',
      (a, b) => a === undefined || b === undefined,
    ],
    [
      /\/Content\/Size$/,
      'a byte that is no UTF-8 counts as the three of U+FFFD',
      (a, b) => Number(b) > Number(a) && (Number(b) - Number(a)) % 2 === 0,
    ],
    [
      /\/MIME(?:\/Parts)?$|^part \d+ \d+$|\/Headers\/Content-Type\/0$/,
      'parts are also read where the field has small letters or the boundary quotes, none are an empty list, and of a repeated field the last counts in whatever letters',
    ],
    [
      /^part \d+ \d+\/body(?:\/|$)/,
      'base64 without its last = is decoded to its end',
      (a, b) => typeof a !== 'number' || (Number(b) > a && Number(b) - a <= 3),
    ],
  ],
  maildev: [
    [/^email \d+\/body\/time$/, 'the time of a mail without Date is that of its receipt', areTimes],
    [
      /^email \d+\/body\/(?:text$|attachments\/)|^attachment \d+ \d+(?:\/|$)/,
      'the parts of a report, of a damaged multipart and texts with a name are files, and MailDev joins them into the text',
    ],
    [/^email \d+\/body\/html$/, 'MailDev puts inline pictures into the HTML'],
    [
      /^email \d+\/body\/(?:from|to|cc)(?:\/|$)/,
      'the members of a group are listed, and damaged address lists are read otherwise',
    ],
    [
      /^email \d+\/body\/(?:headers\/)?subject$/,
      'of a repeated field all are listed, and bytes of other charsets are read',
    ],
    [
      /^email \d+\/body\/(?:inReplyTo|headers\/(?:in-reply-to|message-id|references(?:\/\d+)?))$/,
      'identifiers are as the mail writes them',
    ],
    [/^email \d+\/body\/headers\/priority$/, 'no priority is made of other fields', isLeftOut],
  ],
  'maildev 2': [
    [/^email \d+\/body\/time$/, 'the time of a mail without Date is that of its receipt', areTimes],
    [/^email \d+\/body\/attachments\/\d+\/contentDisposition$/, 'every file has a disposition', isAdded],
    [
      /^email \d+\/body\/(?:size|sizeHuman)$/,
      'the size is that of the whole mail',
      (theirs, ours) => Number.parseInt(String(theirs), 10) < Number.parseInt(String(ours), 10),
    ],
    [
      /^email \d+\/body\/attachments(?:\/|$)|^attachment \d+ \d+\//,
      'its old parser reads damaged mail, reports and the ends of parts otherwise, and tells more of a file',
    ],
    [
      /^email \d+\/body\/(?:cc|bcc|replyTo|references|inReplyTo|messageId|date)(?:\/|$)/,
      'its old parser reads damaged fields and groups otherwise',
    ],
  ],
};

/** The real mails that a server refuses or drops because it can't read them. mailcap takes them. */
export const NOT_TAKEN: Readonly<Record<string, readonly string[]>> = {
  mailpit: [
    'enmime/testdata__mail__erroneous.raw',
    'enmime/testdata__mail__multipart-wo-boundary.raw',
    'enmime/testdata__mail__qp-utf8-header-no-break.raw',
    'enmime/testdata__parts__ctype-invalid-characters.raw',
    'enmime/testdata__parts__multi-malformed.raw',
    'ruby-mail/error_emails__multiple_references_with_one_invalid.eml',
    'ruby-mail/mime_emails__raw_email_with_binary_encoded.eml',
    'ruby-mail/mime_emails__raw_email_with_multipart_mixed_quoted_boundary.eml',
    'ruby-mail/plain_emails__raw_email_simple.eml',
    'ruby-mail/rfc2822__example13.eml',
    'reports/107-no-blank-line-before-boundary.eml',
  ],
};
