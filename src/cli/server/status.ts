import { saidCount } from '../../text/said.ts';
import type { Arguments } from '../command.ts';
import { connect } from '../connect.ts';
import { outputStyles, type PaintText, printedAsJson, printJson, writeSize } from '../output.ts';
import { printHanging } from '../table.ts';
import { troubleOf } from '../unreachable.ts';

/** Runs `mailcap status`: prints the addresses, plan and counts of the server. The cloud reports fewer of them. */
export async function status(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { bold, dim } = outputStyles();
  const show = (rows: readonly (readonly [name: string, value: string, paint?: PaintText])[]) => {
    for (const [name, value, paint] of rows) printHanging(`  ${dim(name.padEnd(12))} `, 15, value, paint);
  };
  if (!(await client.hasLocalApi())) {
    const { url } = await client.server();
    const mailboxes = await client.listMailboxes();
    if (args.isOn('json')) printJson({ url, local: false, counts: { mailboxes: mailboxes.length } });
    else
      show([
        ['HTTP', url, bold],
        ['Holds', saidCount(mailboxes.length, 'mailbox', 'mailboxes')],
      ]);
    return 0;
  }
  const info = await client.local.getInfo();
  if (printedAsJson(args, info)) return 0;
  const { counts } = info;
  const trouble = troubleOf(info.storage);
  show([
    ['HTTP', info.url, bold],
    ['API', info.apiUrl],
    ['SMTP', `${info.smtpHost}:${info.smtpPort}`, bold],
    ['Hooks', `${info.webhookBaseUrl}/<key>`],
    ['Mail to', `anything@inbox.${info.mailDomain}`],
    ['Plan', `${info.plan}, limits ${info.limits}`],
    [
      'Holds',
      `${saidCount(counts.messages, 'message')} (${writeSize(counts.storedBytes)}) in ${saidCount(counts.mailboxes, 'mailbox', 'mailboxes')}`,
    ],
    ...(counts.capturedBytes === 0
      ? []
      : [['Captures', `${writeSize(counts.capturedBytes)} of ${writeSize(info.captureTotal)}`] as const]),
    ...(trouble === null ? [] : [['Storage', `The server ${trouble}`] as const]),
    ['Version', info.version],
  ]);
  return 0;
}
