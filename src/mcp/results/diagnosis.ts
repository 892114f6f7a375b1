import type { Diagnosis } from '../../client/index.ts';
import { defusedLine, fence } from '../../text/fence.ts';
import { saidCount } from '../../text/said.ts';
import { saidMissedTls } from '../../text/said-missed-tls.ts';
import { saidRefusal } from '../../text/said-refusal.ts';

const SHOWN = 3;
const MAX_TEXT = 80;

/** The reason why nothing came, in our own words, and the observed mails and replies inside a fence. */
export interface DiagnosisResult {
  readonly reason: string;
  readonly content: string;
}

/**
 * Describes a diagnosis for a language model. `isReturned` tells whether an earlier wait returned a message. The reason
 * holds only counts and names of mailboxes. Subjects, addresses and replies are inside the fence.
 */
export function diagnosisResult(
  { messages, elsewhere, refusals, lastConnection }: Diagnosis,
  fenceId: string,
  isReturned: (id: string) => boolean,
): DiagnosisResult {
  const matching = messages.items.filter(({ refusedBy }) => refusedBy.length === 0);
  const returned = matching.filter(({ id }) => isReturned(id)).length;
  const others = countOf(messages) - matching.length;
  const astray = elsewhere.items.filter(({ matches }) => matches);
  const places = [...new Set((astray.length > 0 ? astray : elsewhere.items).map(({ subdomain }) => subdomain))];
  const isSilent = countOf(messages) + countOf(elsewhere) + countOf(refusals) === 0;
  const sentences = [
    ...(returned > 0 ? [`An earlier wait returned ${saidCount(returned, 'message')} that matches: read_message.`] : []),
    ...(matching.length > returned
      ? [`${saidCount(matching.length - returned, 'message')} matches but came early.`]
      : []),
    ...(others > 0 ? [`${saidCount(others, 'message')} came here and did not match.`] : []),
    ...(countOf(elsewhere) > 0
      ? [`${saidCount(countOf(elsewhere), 'message')} went to other mailboxes: ${places.slice(0, SHOWN).join(', ')}.`]
      : []),
    ...(countOf(refusals) > 0 ? [`SMTP refused ${saidCount(countOf(refusals), 'mail')}.`] : []),
    ...(isSilent ? [silence(lastConnection)] : []),
  ];
  const lines = [
    ...messages.items.slice(0, SHOWN).map(({ id, refusedBy, ...one }) => {
      const why = refusedBy.map((one) => saidRefusal(one, quoted)).join(', ');
      return `${id} ${summaryOf(one)}: ${why || (isReturned(id) ? 'returned before' : 'matches')}`;
    }),
    ...elsewhere.items.slice(0, SHOWN).map(({ id, subdomain, ...one }) => `${id} in ${subdomain} ${summaryOf(one)}`),
    ...refusals.items
      .slice(0, SHOWN)
      .map(({ stage, recipient, reply }) => `refused at ${stage}, to ${quoted(recipient)}: ${quoted(reply)}`),
  ];
  return { reason: sentences.join(' '), content: lines.length === 0 ? '' : fence(fenceId, lines) };
}

function countOf({ items, leftOut }: { readonly items: readonly unknown[]; readonly leftOut: number }): number {
  return items.length + leftOut;
}

function silence(last: Diagnosis['lastConnection']): string {
  if (last === null) return 'No SMTP client has connected: the app does not send to this server.';
  const missed = saidMissedTls(last);
  const asked = last.tls === 'asked' ? ' It asked for TLS and left: it refuses the certificate.' : '';
  const tls = missed === '' ? asked : ` The reason: ${missed}.`;
  return `Nothing came. The last SMTP client connected at ${last.openedAt} and sent ${saidCount(last.accepted, 'mail')}.${tls}`;
}

function summaryOf({ subject, to }: { readonly subject: string | null; readonly to: string | null }): string {
  return `${quoted(subject)} to ${quoted(to)}`;
}

function quoted(text: string | null): string {
  return `"${defusedLine(text ?? '', MAX_TEXT)}"`;
}
