import type { Client, MailboxResponse } from '../../client/index.ts';
import { harmlessLine } from '../../text/harmless.ts';
import { saidCount, saidMissedTls, saidRefusal } from '../../text/said.ts';
import { NO_SUBJECT } from '../../text/wording.ts';
import { writeTimeOfDay } from '../output.ts';

const SHOWN = 3;

export interface WaitFilter {
  readonly subject?: string;
  readonly from?: string;
  readonly to?: string;
}

/**
 * Explains why a wait ended without a message: it lists mail that did not match, mail in other mailboxes, and refusals
 * by SMTP.
 */
export async function whyNothingCame(
  client: Client,
  mailbox: MailboxResponse,
  filter: WaitFilter,
  since: string | null,
  seconds: number,
): Promise<string> {
  const what = Object.entries(filter).map(([name, value]) => `${name} "${value}"`);
  const wanted = what.length === 0 ? 'no message' : `no message with ${what.join(' and ')}`;
  const diagnosis = await diagnose(client, mailbox, { ...filter, ...(since === null ? {} : { since }) });
  return [
    `${wanted} came to ${mailbox.subdomain} within ${seconds} s.`,
    ...(diagnosis === null ? [] : found(diagnosis, seconds)),
  ].join('\n  ');
}

type Diagnosis = Awaited<ReturnType<Client['local']['diagnoseMailbox']>>;

/** Asks for a diagnosis; null if there is no local API or this caller may not use it. */
async function diagnose(
  client: Client,
  { id }: MailboxResponse,
  query: WaitFilter & { readonly since?: string },
): Promise<Diagnosis | null> {
  try {
    return (await client.hasLocalApi()) ? await client.local.diagnoseMailbox(id, query) : null;
  } catch {
    return null;
  }
}

function found(diagnosis: Diagnosis, seconds: number): string[] {
  const { messages, elsewhere, refusals, lastConnection, until } = diagnosis;
  return [
    ...messages.items.slice(0, SHOWN).map(({ subject, receivedAt, refusedBy }) => {
      const why = refusedBy.map((one) => saidRefusal(one, quoted));
      const reason = why.length === 0 ? whenItCame(Date.parse(receivedAt), Date.parse(until), seconds) : why.join(', ');
      return `${quoted(subject || NO_SUBJECT)} of ${writeTimeOfDay(receivedAt)}: ${reason}.`;
    }),
    ...elsewhere.items
      .slice(0, SHOWN)
      .map(
        ({ subject, subdomain }) => `${quoted(subject || NO_SUBJECT)} went to ${subdomain} (--mailbox ${subdomain}).`,
      ),
    ...refusals.items
      .slice(0, SHOWN)
      .map(
        ({ reply, recipient, at }) =>
          `SMTP refused ${quoted(recipient)} at ${writeTimeOfDay(at)}: ${harmlessLine(reply, 200)}.`,
      ),
    lastConnectionOf(lastConnection),
  ];
}

/** A message that matches and was not found came outside the wait's window. `--since` reaches further back. */
function whenItCame(receivedAt: number, endedAt: number, seconds: number): string {
  const minutes = Math.max(1, Math.ceil((endedAt - receivedAt) / 60_000) + 1);
  const when = receivedAt < endedAt - seconds * 1_000 ? 'it came before the wait' : 'it came just as the wait ended';
  return `${when}; --since ${minutes}m finds it`;
}

function lastConnectionOf(connection: Diagnosis['lastConnection']): string {
  if (connection === null)
    return 'No SMTP client has connected: does the app send to this server? `mailcap env` prints its address.';
  const { openedAt, clientAddress, accepted, tls } = connection;
  const missed = saidMissedTls(connection);
  const asked = tls === 'asked' ? '; it asked for TLS and left, so it probably refuses the certificate' : '';
  const left = missed === '' ? asked : `; ${missed}`;
  return `The last SMTP client connected at ${writeTimeOfDay(openedAt)} from ${clientAddress} and sent ${saidCount(accepted, 'mail')}${left}.`;
}

function quoted(text: string | null): string {
  return `"${harmlessLine(text ?? '', 80)}"`;
}
