import type { MailboxResponse } from '../../client/index.ts';
import { UserError } from '../../config/user-error.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { sentenceOfCode } from '../../text/refusals.ts';
import { saidCount } from '../../text/said.ts';
import { CALLED, saidDeleted } from '../../text/wording.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printedAsJson, printResult, say, sayShared, writeMoment } from '../output.ts';
import { idColumn, printFacts, printList, type TableColumn } from '../table.ts';
import { countMessages, localInfo, writeCount } from './count.ts';

const NONE = 'there is no mailbox; `mailcap mailboxes create <name>` creates one.';

/** Lists the mailboxes of the key, and says how many there are beside them; with --everywhere those of all workspaces. */
export async function listMailboxes(args: Arguments): Promise<number> {
  const client = await connect(args);
  if (args.isOn('everywhere')) {
    const [all, workspaces] = await Promise.all([client.local.listAllMailboxes(), client.local.listWorkspaces()]);
    const names = new Map(workspaces.map(({ id, name }) => [id, name]));
    return printList(args, all, [...columnsOf(all), workspaceColumn(names)], NONE);
  }
  const mailboxes = await client.listMailboxes();
  printList(args, mailboxes, columnsOf(mailboxes), NONE);
  const info = args.isOn('json') ? null : await localInfo(client);
  const elsewhere = (info?.counts.mailboxes ?? 0) - mailboxes.length;
  if (elsewhere > 0)
    say(
      `${saidCount(elsewhere, 'more mailbox is', 'more mailboxes are')} not of this key, such as those of tests: \`mailcap mailboxes list --everywhere\` shows them.`,
    );
  return EXIT.done;
}

function columnsOf<Row extends MailboxResponse>(rows: readonly Row[]): TableColumn<Row>[] {
  return [
    idColumn(rows),
    { title: 'SUBDOMAIN', of: ({ subdomain }) => subdomain, flexible: true },
    { title: 'NAME', of: ({ name }) => name, flexible: true, least: 24, from: 50 },
    { title: 'DAYS', of: ({ retentionDays }) => retentionDays, align: 'right', from: 60 },
    { title: 'TODAY', of: ({ dailyInboundUsed }) => dailyInboundUsed, align: 'right' },
    { title: 'CREATED', of: ({ createdAt }) => writeMoment(createdAt).slice(0, 10), from: 70 },
  ];
}

function workspaceColumn<Row extends { readonly workspaceId: string }>(
  names: ReadonlyMap<string, string>,
): TableColumn<Row> {
  return { title: 'WORKSPACE', of: ({ workspaceId }) => names.get(workspaceId) ?? workspaceId, flexible: true };
}

export async function createMailbox(args: Arguments): Promise<number> {
  const client = await connect(args);
  const mailbox = await client.createMailbox({
    name: args.operand(),
    subdomain: args.text('subdomain') ?? undefined,
    retentionDays: args.count('retentionDays') ?? undefined,
  });
  if (printedAsJson(args, mailbox)) return 0;
  print(mailbox.id);
  const { mailDomain } = await client.server();
  say(`it takes mail to anything@${mailbox.subdomain}${mailDomain === null ? '' : `.${mailDomain}`}.`);
  return 0;
}

/** Changes the settings of a mailbox. Without a change it prints them. */
export async function updateMailbox(args: Arguments): Promise<number> {
  const [name, retentionDays, outbound] = [args.text('name'), args.count('retentionDays'), args.text('outbound')];
  const [allow, disallow] = [args.texts('allow'), args.texts('disallow')];
  const client = await connect(args);
  const { id } = await findMailbox(client, args.operand());
  const before = await client.local.getMailbox(id);
  const missing = disallow.find((entry) => !before.allowlist.includes(entry));
  if (missing !== undefined)
    throw new UserError(`${missing}: no such entry; the allowlist has ${before.allowlist.join(', ') || 'none'}.`);
  const fields = {
    ...(name === null ? {} : { name }),
    ...(retentionDays === null ? {} : { retentionDays }),
    ...(outbound === null ? {} : { outboundEnabled: outbound === 'on' }),
    ...(allow.length + disallow.length === 0
      ? {}
      : { allowlist: [...new Set([...before.allowlist, ...allow])].filter((entry) => !disallow.includes(entry)) }),
  };
  const mailbox = Object.keys(fields).length === 0 ? before : await client.local.updateMailbox(id, fields);
  if (printedAsJson(args, mailbox)) return EXIT.done;
  const rows = [
    ['Id', mailbox.id ?? ''],
    ['Name', mailbox.name ?? ''],
    ['Takes', [mailbox.address, ...mailbox.addresses].join(', ')],
    ['Keeps', saidCount(mailbox.retentionDays, 'day')],
    ['Sends', mailbox.outboundEnabled ? `to ${mailbox.allowlist.join(', ') || 'nobody'}` : 'nothing'],
    ['Holds', saidCount(mailbox.messageCount, 'message')],
  ] as const;
  printFacts(
    rows.map(([name, value]) => [name, harmlessLine(value, 2_000)]),
    8,
  );
  return EXIT.done;
}

export async function deleteMailbox(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id, subdomain } = await findMailbox(client, args.operand());
  // The server refuses this too, but only after the question.
  if ((await localInfo(client))?.mailboxId === id) throw new UserError(sentenceOfCode('seeded_mailbox', {}));
  const what = CALLED.mailbox(subdomain, writeCount(await countMessages(client, id)));
  if (!(await isAgreed(args, `delete ${what}`))) return EXIT.failed;
  await client.local.deleteMailbox(id);
  return printResult(args, { id }, () => sayShared(saidDeleted(what)));
}
