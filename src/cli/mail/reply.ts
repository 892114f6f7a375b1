import { UserError } from '../../config/user-error.ts';
import { saidSent } from '../../text/wording.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect } from '../connect.ts';
import { print, printJson, sayShared } from '../output.ts';
import { readStdin } from '../read-given.ts';
import { messageNamed } from './message-named.ts';

const MAX_TEXT_BYTES = 1024 * 1024;

/** Runs `mailcap messages reply`: answers a mail from its mailbox, or a text message as the phone. Prints the id. */
export async function reply(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const { mailboxId, kind, envelope } = await client.local.getMessageFacts(id);
  const text = args.text('text') || (await textFromStdin());
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
  if (args.isOn('json')) printJson(answer);
  else {
    print(answer.id);
    sayShared(saidSent(answer.to));
  }
  return EXIT.done;
}

async function textFromStdin(): Promise<string> {
  const text = process.stdin.isTTY ? '' : (await readStdin(MAX_TEXT_BYTES)).toString('utf8').trimEnd();
  if (text === '') throw new UserError('there is nothing to send: give --text, or pipe a text in.', 2);
  return text;
}
