import { basename } from 'node:path';
import type { Client } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidSent } from '../../text/wording.ts';
import type { Arguments } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printJson, sayShared } from '../output.ts';
import { readGiven, readStdin } from '../read-given.ts';

/** The largest body that the API accepts, in bytes. */
const MAX_TEXT_BYTES = 10 * 1024 * 1024;

/** Runs `mailcap send`: sends a message and prints its id. */
export async function send(args: Arguments): Promise<number> {
  const client = await connect(args);
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
  if (args.isOn('json')) {
    printJson(answer);
    return 0;
  }
  print(answer.messageId);
  sayShared(saidSent([to, args.text('cc'), args.text('bcc')].filter(Boolean).join(', ')));
  return 0;
}

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
  if (args.isOn('json')) {
    printJson({ messageId });
    return 0;
  }
  print(messageId);
  sayShared(saidSent([to, args.text('cc'), args.text('bcc')].filter(Boolean).join(', ')));
  return 0;
}

async function textFromStdin(): Promise<string> {
  const text = process.stdin.isTTY ? '' : (await readStdin(MAX_TEXT_BYTES)).toString('utf8');
  if (text === '') throw new UserError('there is nothing to send: give --text or --html, or pipe a text in.', 2);
  return text;
}

async function ownAddress(client: Awaited<ReturnType<typeof connect>>, subdomain: string): Promise<string> {
  const mailDomain =
    (await client.server()).mailDomain ??
    ((await client.hasLocalApi()) ? (await client.local.getInfo()).mailDomain : null);
  if (mailDomain === null) throw new UserError('the sender is not known: give --from <address>.', 2);
  return `mailcap@${subdomain}.${mailDomain}`;
}
