import type { Client, MessageSummaryResponse } from '../../client/index.ts';
import { ConfigError, UserError } from '../../config/user-error.ts';
import type { Arguments } from '../arguments.ts';
import { connect, findMailbox } from '../connect.ts';
import { printBytes, printJson } from '../output.ts';
import { printList } from '../table.ts';
import { writeMoment, writeSize } from '../write.ts';
import { printMessage } from './print-message.ts';

/** As many as a page of either API has at most. */
const PAGE = 200;

export async function listMessages(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id } = await findMailbox(client, args.text('mailbox'));
  const messages = await firstMessages(client, id, args);
  return printList(args, messages, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'RECEIVED', of: ({ receivedAt }) => writeMoment(receivedAt).slice(5) },
    { title: 'FROM', of: ({ from }) => from, flexible: true },
    { title: 'SUBJECT', of: ({ subject }) => subject, flexible: true },
    { title: 'SIZE', of: ({ sizeBytes }) => writeSize(sizeBytes), align: 'right' },
  ]);
}

/** Newest first, page by page. */
async function firstMessages(client: Client, mailboxId: string, args: Arguments): Promise<MessageSummaryResponse[]> {
  const wanted = args.count('limit') ?? 50;
  const query = args.text('query');
  const messages: MessageSummaryResponse[] = [];
  let before = args.text('before') ?? undefined;
  while (messages.length < wanted) {
    const page = { limit: Math.min(PAGE, wanted - messages.length), before };
    const found =
      query === null
        ? await client.listMessages(mailboxId, page)
        : await client.local.searchMessages(mailboxId, { ...page, query });
    messages.push(...found);
    before = found.at(-1)?.id;
    if (found.length < page.limit) break;
  }
  return messages;
}

export async function showMessage(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { mailboxId, id } = await messageMeant(client, args);
  const message = await client.getMessage(mailboxId, id);
  if (args.isOn('json')) printJson(message);
  else await printMessage(message);
  return 0;
}

export async function rawMessage(args: Arguments): Promise<number> {
  const client = await connect(args);
  const id = args.operand() ?? (await messageMeant(client, args)).id;
  await printBytes(await client.local.getRawMessage(id));
  return 0;
}

export async function deleteMessages(args: Arguments): Promise<number> {
  const all = args.isOn('all');
  if (all === args.operands.length > 0) throw new ConfigError('say which: ids of messages, or --all.');
  const client = await connect(args);
  if (all) {
    const { id } = await findMailbox(client, args.text('mailbox'));
    await client.local.clearMessages(id);
    return 0;
  }
  for (const id of args.operands) await client.local.deleteMessage(id);
  return 0;
}

/** The message named, or the newest of its mailbox. */
async function messageMeant(client: Client, args: Arguments): Promise<{ mailboxId: string; id: string }> {
  const id = args.operand();
  const mailbox = args.text('mailbox');
  // The local API knows where a message is.
  if (id !== null && mailbox === null && (await client.hasLocalApi()))
    return { mailboxId: (await client.local.getMessage(id)).mailboxId, id };
  const { id: mailboxId, subdomain } = await findMailbox(client, mailbox);
  if (id !== null) return { mailboxId, id };
  const [newest] = await client.listMessages(mailboxId, { limit: 1 });
  if (newest === undefined)
    throw new UserError(`no message in ${subdomain} yet; \`mailcap messages wait\` waits for one.`);
  return { mailboxId, id: newest.id };
}
