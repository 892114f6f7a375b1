import { saidCount } from '../../../ui/model/said.ts';
import type { Arguments } from '../arguments.ts';
import { connect } from '../connect.ts';
import { print, printJson } from '../output.ts';
import { outputStyles } from '../styles.ts';
import { troubleOf } from '../trouble.ts';
import { writeSize } from '../write.ts';

/** Runs `mailcap status`: prints the facts that the server reports. The cloud reports fewer. */
export async function status(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { bold, dim } = outputStyles();
  const show = (rows: readonly (readonly [string, string])[]) => {
    for (const [name, value] of rows) print(`  ${dim(name.padEnd(12))} ${value}`);
  };
  if (!(await client.hasLocalApi())) {
    const { url } = await client.server();
    const mailboxes = await client.listMailboxes();
    if (args.isOn('json')) printJson({ url, local: false, counts: { mailboxes: mailboxes.length } });
    else
      show([
        ['HTTP', bold(url)],
        ['Holds', saidCount(mailboxes.length, 'mailbox', 'mailboxes')],
      ]);
    return 0;
  }
  const info = await client.local.info();
  if (args.isOn('json')) {
    printJson(info);
    return 0;
  }
  const { counts } = info;
  const trouble = troubleOf(info.storage);
  show([
    ['HTTP', bold(info.url)],
    ['API', info.apiUrl],
    ['SMTP', bold(`${info.smtpHost}:${info.smtpPort}`)],
    ['Hooks', `${info.webhookBaseUrl}/<key>`],
    ['Mail to', `anything@inbox.${info.mailDomain}`],
    ['Plan', `${info.plan}, limits ${info.limits}`],
    [
      'Holds',
      `${saidCount(counts.messages, 'message')} (${writeSize(counts.storedBytes)}) in ${saidCount(counts.mailboxes, 'mailbox', 'mailboxes')}`,
    ],
    ...(trouble === null ? [] : [['Storage', `The server ${trouble}`] as const]),
    ['Version', info.version],
  ]);
  return 0;
}
