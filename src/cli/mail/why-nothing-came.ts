import { harmlessLine } from '../../../ui/model/harmless.ts';
import type { Client, MailboxResponse } from '../../client/index.ts';
import { writeCount, writeTimeOfDay } from '../write.ts';
import type { WaitFilter } from './wait.ts';

const SHOWN = 3;

/** Why a wait ended without a message: what came and was refused, what went elsewhere, what SMTP said. */
export async function whyNothingCame(
  client: Client,
  mailbox: MailboxResponse,
  filter: WaitFilter,
  since: string | null,
  seconds: number,
): Promise<string> {
  const what = Object.entries(filter).map(([name, value]) => `${name} "${value}"`);
  const wanted = what.length === 0 ? 'no message' : `no message with ${what.join(' and ')}`;
  const sentences = [`${wanted} came to ${mailbox.subdomain} within ${seconds} s.`];
  if (await client.hasLocalApi()) {
    const diagnosis = await client.local.diagnose(mailbox.id, { ...filter, ...(since === null ? {} : { since }) });
    for (const { subject, receivedAt, refusedBy } of diagnosis.messages.items.slice(0, SHOWN)) {
      const why = refusedBy.map(({ filter: name, saw }) => `its ${name} is ${quoted(saw.join(', '))}`);
      const reason = why.length === 0 ? 'came before or after the wait' : why.join(', ');
      sentences.push(`${quoted(subject)} of ${writeTimeOfDay(receivedAt)}: ${reason}.`);
    }
    for (const { subject, subdomain } of diagnosis.elsewhere.items.slice(0, SHOWN))
      sentences.push(`${quoted(subject)} went to ${subdomain} (--mailbox ${subdomain}).`);
    for (const { reply, recipient, at } of diagnosis.refusals.items.slice(0, SHOWN))
      sentences.push(`SMTP refused ${quoted(recipient)} at ${writeTimeOfDay(at)}: ${harmlessLine(reply, 200)}.`);
    sentences.push(lastConnection(diagnosis.lastConnection));
  }
  return sentences.join('\n  ');
}

interface Connection {
  readonly openedAt: string;
  readonly clientAddress: string;
  readonly accepted: number;
  readonly tls: string;
}

function lastConnection(connection: Connection | null): string {
  if (connection === null)
    return 'No SMTP client has connected: does the app send to this server? `mailcap env` tells its address.';
  const { openedAt, clientAddress, accepted, tls } = connection;
  const left = tls === 'asked' ? '; it asked for TLS and left, as one does that refuses the certificate' : '';
  return `The last SMTP client came at ${writeTimeOfDay(openedAt)} from ${clientAddress} and sent ${writeCount(accepted, 'mail')}${left}.`;
}

function quoted(text: string | null): string {
  return `"${harmlessLine(text ?? '', 80)}"`;
}
