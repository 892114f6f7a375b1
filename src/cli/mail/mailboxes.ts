import { UserError } from '../../config/user-error.ts';
import { sentenceOfCode } from '../../text/refusals.ts';
import { CALLED, saidDeleted } from '../../text/wording.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printJson, say, sayShared, writeMoment } from '../output.ts';
import { idColumn, printList } from '../table.ts';
import { countMessages, mayAskLocally, writeCount } from './count.ts';

export async function listMailboxes(args: Arguments): Promise<number> {
  const client = await connect(args);
  const mailboxes = await client.listMailboxes();
  return printList(
    args,
    mailboxes,
    [
      idColumn(mailboxes),
      { title: 'SUBDOMAIN', of: ({ subdomain }) => subdomain, flexible: true },
      { title: 'NAME', of: ({ name }) => name, flexible: true, least: 24, from: 50 },
      { title: 'DAYS', of: ({ retentionDays }) => retentionDays, align: 'right', from: 60 },
      { title: 'TODAY', of: ({ dailyInboundUsed }) => dailyInboundUsed, align: 'right' },
      { title: 'CREATED', of: ({ createdAt }) => writeMoment(createdAt).slice(0, 10), from: 70 },
    ],
    'there is no mailbox; `mailcap mailboxes create <name>` creates one.',
  );
}

export async function createMailbox(args: Arguments): Promise<number> {
  const client = await connect(args);
  const subdomain = args.text('subdomain');
  const retentionDays = args.count('retentionDays');
  const mailbox = await client.createMailbox({
    name: args.operand(),
    ...(subdomain === null ? {} : { subdomain }),
    ...(retentionDays === null ? {} : { retentionDays }),
  });
  if (args.isOn('json')) {
    printJson(mailbox);
    return 0;
  }
  print(mailbox.id);
  const { mailDomain } = await client.server();
  say(`it takes mail to anything@${mailbox.subdomain}${mailDomain === null ? '' : `.${mailDomain}`}.`);
  return 0;
}

export async function deleteMailbox(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id, subdomain } = await findMailbox(client, args.operand());
  // The server refuses this too, but only after the question.
  if ((await mayAskLocally(client)) && (await client.local.getInfo()).mailboxId === id)
    throw new UserError(sentenceOfCode('seeded_mailbox', {}));
  const what = CALLED.mailbox(subdomain, writeCount(await countMessages(client, id)));
  if (!(await isAgreed(args, `delete ${what}`))) return EXIT.failed;
  await client.local.deleteMailbox(id);
  if (args.isOn('json')) printJson({ id });
  else sayShared(saidDeleted(what));
  return EXIT.done;
}
