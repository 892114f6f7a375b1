import type { Client } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { saidSent } from '../../text/wording.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printJson, sayShared } from '../output.ts';
import { readStdin } from '../read-given.ts';
import { messageNamed, noSuchMessage } from './message-named.ts';

const MAX_TEXT_BYTES = 1024 * 1024;

/** Runs `mailcap messages reply`: answers a mail from its mailbox, or a text message as the phone. Prints the id. */
export async function reply(args: Arguments): Promise<number> {
  const client = await connect(args);
  const id = await messageMeant(client, args);
  const { mailboxId, kind, envelope } = await client.local.getMessageFacts(id);
  const text = args.text('text') ?? (await textFromStdin());
  const [from = ''] = envelope.rcptTo;
  let answer: { readonly id: string; readonly to: string };
  if (kind === 'sms') answer = await client.local.sendText(mailboxId, { from, to: envelope.mailFrom, body: text });
  else {
    const mail = await client.local.getMessageContent(id);
    const subject = mail.subject ?? '';
    const to = mail.replyTo ?? mail.from ?? envelope.mailFrom;
    const about = { subject: /^re:/i.test(subject) ? subject : `Re: ${subject}`.trim(), inReplyTo: id };
    const { messageId } = await client.local.sendFrom(mailboxId, { from, to, textBody: text, ...about });
    answer = { id: messageId, to };
  }
  if (args.isOn('json')) printJson(answer);
  else {
    print(answer.id);
    sayShared(saidSent(answer.to));
  }
  return EXIT.done;
}

/** Returns the id of the message that is named, or of the newest one of the mailbox, of either kind. */
async function messageMeant(client: Client, args: Arguments): Promise<string> {
  const named = args.operand();
  if (named !== null) return (await messageNamed(client, named, args.text('mailbox'))).id;
  const mailbox = await findMailbox(client, args.text('mailbox'));
  const { items } = await client.local.searchMessages(mailbox.id, { limit: 1, total: false });
  const [newest] = items;
  if (newest === undefined) throw noSuchMessage('the newest');
  return newest.id;
}

async function textFromStdin(): Promise<string> {
  const text = process.stdin.isTTY ? '' : (await readStdin(MAX_TEXT_BYTES)).toString('utf8').trimEnd();
  if (text === '') throw new UserError('there is nothing to send: give --text, or pipe a text in.', 2);
  return text;
}
