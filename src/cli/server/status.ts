import { saidCount } from '../../text/said.ts';
import type { Arguments } from '../command.ts';
import { connect } from '../connect.ts';
import { outputStyles, printResult, writeSize } from '../output.ts';
import { type PrintedFact, printFacts } from '../table.ts';
import { troubleOf } from '../unreachable.ts';

/** Runs `mailcap status`: prints the addresses, plan and counts of the server. The cloud reports fewer of them. */
export async function status(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { bold } = outputStyles();
  if (!(await client.hasLocalApi())) {
    const { url } = await client.server();
    const mailboxes = await client.listMailboxes();
    return printResult(args, { url, local: false, counts: { mailboxes: mailboxes.length } }, () =>
      printFacts([
        ['HTTP', url, bold],
        ['Holds', saidCount(mailboxes.length, 'mailbox', 'mailboxes')],
      ]),
    );
  }
  const info = await client.local.getInfo();
  const { counts } = info;
  const trouble = troubleOf(info.storage);
  const facts: PrintedFact[] = [
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
  ];
  if (counts.capturedBytes > 0)
    facts.push(['Captures', `${writeSize(counts.capturedBytes)} of ${writeSize(info.captureTotal)}`]);
  if (trouble !== null) facts.push(['Storage', `The server ${trouble}`]);
  facts.push(['Version', info.version]);
  return printResult(args, info, () => printFacts(facts));
}
