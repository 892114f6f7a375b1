import { basename } from 'node:path';
import type { Client } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidSent } from '../../text/wording.ts';
import type { Arguments } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printResult, sayShared } from '../output.ts';
import { readGiven, readStdin } from '../read-given.ts';
import { messageNamed } from './message-named.ts';

/** The largest body that the API accepts, in bytes. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;
const MAX_REPLY_BYTES = 1024 * 1024;

/** Runs `mailcap send`: sends a message and prints its id. */
export async function send(args: Arguments): Promise<number> {
  const client = await connect(args);
  if (args.operands.some(isNumber)) return sendText(client, args);
  const mailbox = await findMailbox(client, args.text('mailbox'));
  const htmlBody = args.text('html');
  const textBody = args.text('text') ?? (htmlBody === null ? await textFromStdin() : null);
  const from = args.text('from') ?? (await ownAddress(client, mailbox.subdomain));
  const to = args.operands.join(', ');
  if (args.texts('attach').length > 0) return sendWithFiles(client, args, { from, to, textBody, htmlBody });
  const answer = await client.sendEmail(mailbox.id, {
    from,
    to,
    cc: args.text('cc'),
    bcc: args.text('bcc'),
    replyTo: args.text('replyTo'),
    subject: args.text('subject'),
    textBody,
    htmlBody,
  });
  return tellSent(args, answer, answer.messageId, [to, args.text('cc'), args.text('bcc')]);
}

/** Prints the id of a mail, and says to whom it went. */
function tellSent(args: Arguments, answer: object, id: string, to: readonly (string | null)[]): number {
  return printResult(args, answer, () => {
    print(id);
    sayShared(saidSent(to.filter(Boolean).join(', ')));
  });
}

/** Tells whether an operand is a phone number, which has its country code. */
function isNumber(operand: string): boolean {
  return /^\+[\d\s().-]+$/.test(operand);
}

/** Sends a text message to each number by the API of Twilio that the server has, and prints the ids. */
async function sendText(client: Client, args: Arguments): Promise<number> {
  const others = ['cc', 'bcc', 'reply-to', 'subject', 'html'].filter(
    (flag) => args.text(OPTION_OF[flag] ?? flag) !== null,
  );
  if (args.texts('attach').length > 0) others.push('attach');
  if (others.length > 0) throw new UserError(`a text message has no --${others[0]}.`, 2);
  const address = args.operands.find((operand) => !isNumber(operand));
  if (address !== undefined) throw new UserError(`${address} is no phone number: send to numbers or to addresses.`, 2);
  const body = args.text('text') ?? (await textFromStdin()).trimEnd();
  const { url, apiKey } = await client.server();
  const account = `AC${'0'.repeat(32)}`;
  const credentials = Buffer.from(`${account}:${apiKey ?? 'any'}`).toString('base64');
  const from = args.text('from') ?? '+15005550006';
  const answers: unknown[] = [];
  for (const to of args.operands) {
    const response = await fetch(`${url}/providers/twilio/2010-04-01/Accounts/${account}/Messages.json`, {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}` },
      body: new URLSearchParams({ To: to, From: from, Body: body }),
    });
    const answer = (await response.json().catch(() => ({}))) as { sid?: string; message?: string };
    if (!response.ok)
      throw new UserError(harmlessLine(answer.message ?? `the server answered ${response.status}`, 300));
    answers.push(answer);
    if (!args.isOn('json')) print(String(answer.sid));
  }
  return printResult(args, answers.length === 1 ? answers[0] : answers, () =>
    sayShared(saidSent(args.operands.join(', '))),
  );
}

/** The names of options that differ from their flags. */
const OPTION_OF: Readonly<Record<string, string>> = { 'reply-to': 'replyTo' };

/** The largest files that are attached, together, in bytes. A server takes 25 MiB by default. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Sends a mail with files by SMTP, to the server that the API belongs to, and prints its Message-ID. */
async function sendWithFiles(
  client: Client,
  args: Arguments,
  { from, to, textBody, htmlBody }: { from: string; to: string; textBody: string | null; htmlBody: string | null },
): Promise<number> {
  const attachments: { filename: string; content: Buffer }[] = [];
  for (const path of args.texts('attach'))
    attachments.push({ filename: basename(path), content: await readGiven(path, MAX_FILE_BYTES, `--attach: ${path}`) });
  const { smtpHost: host, smtpPort: port } = await client.local.getInfo();
  const { createTransport } = await import('nodemailer');
  const fields = {
    cc: args.text('cc'),
    bcc: args.text('bcc'),
    replyTo: args.text('replyTo'),
    subject: args.text('subject'),
  };
  const given = Object.entries({ ...fields, text: textBody, html: htmlBody }).filter(([, value]) => value !== null);
  let messageId: string;
  try {
    const transport = createTransport({ host, port, ignoreTLS: true });
    ({ messageId } = await transport.sendMail({ from, to, attachments, ...Object.fromEntries(given) }));
  } catch (error) {
    throw new UserError(`${host}:${port}: ${error instanceof Error ? harmlessLine(error.message, 300) : error}.`, 1, {
      cause: error,
    });
  }
  return tellSent(args, { messageId }, messageId, [to, args.text('cc'), args.text('bcc')]);
}

async function textFromStdin(): Promise<string> {
  const text = await piped(MAX_TEXT_BYTES);
  if (text === '') throw nothingToSend('--text or --html');
  return text;
}

/** Returns what is piped in; empty at a terminal. */
async function piped(most: number): Promise<string> {
  return process.stdin.isTTY ? '' : (await readStdin(most)).toString('utf8');
}

function nothingToSend(options: string): UserError {
  return new UserError(`there is nothing to send: give ${options}, or pipe a text in.`, 2);
}

async function ownAddress(client: Awaited<ReturnType<typeof connect>>, subdomain: string): Promise<string> {
  const mailDomain =
    (await client.server()).mailDomain ??
    ((await client.hasLocalApi()) ? (await client.local.getInfo()).mailDomain : null);
  if (mailDomain === null) throw new UserError('the sender is not known: give --from <address>.', 2);
  return `mailcap@${subdomain}.${mailDomain}`;
}

/** Runs `mailcap messages reply`: answers a mail from its mailbox, or a text message as the phone. Prints the id. */
export async function reply(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const { mailboxId, kind, envelope } = await client.local.getMessageFacts(id);
  const text = args.text('text') || (await piped(MAX_REPLY_BYTES)).trimEnd();
  if (text === '') throw nothingToSend('--text');
  let answer: { readonly id: string; readonly to: string };
  if (kind === 'sms') {
    const [from = ''] = envelope.rcptTo;
    answer = await client.local.sendText(mailboxId, { from, to: envelope.mailFrom, body: text });
  } else {
    // The server knows whom a mail asks to answer, and how.
    const { messageId } = await client.local.sendFrom(mailboxId, { textBody: text, inReplyTo: id });
    const { to } = await client.local.getMessageContent(messageId);
    answer = { id: messageId, to: to ?? '' };
  }
  return tellSent(args, answer, answer.id, [answer.to]);
}
