import { visibleText } from '../extract/visible-text.ts';
import type { Arrival } from './arrivals.ts';
import { asks, checkFilter, whyNot } from './check-filter.ts';
import { each, textOrPattern } from './check-options.ts';
import type { CallOptions } from './deadline.ts';
import type { Message } from './message.ts';
import { hasText, type TextFilter, writeTextFilter } from './text-match.ts';

/** What a message must be like, all of it. Texts are parts in any case. */
export interface MessageFilter {
  readonly subject?: TextFilter | undefined;
  /** Of the From header or the envelope sender. */
  readonly from?: TextFilter | undefined;
  /** Of any recipient. */
  readonly to?: TextFilter | undefined;
  /** Of the text, or of what a person sees of the HTML. */
  readonly body?: TextFilter | undefined;
  /** Says true or false, at once: anything else is an OptionError. */
  readonly where?: ((message: Message) => boolean) | undefined;
}

/** A filter that refused a message, and why. */
export interface Refusal {
  readonly filter: keyof MessageFilter;
  readonly reason: string;
}

const TEXTS = ['subject', 'from', 'to', 'body'] as const;
const CHECKS = each(TEXTS, textOrPattern);
const MAX_SHOWN = 100;

/** Throws an OptionError for a filter that does not exist, or that is no filter. */
export function checkMessageFilter(filter: MessageFilter): void {
  checkFilter('A message filter', filter, CHECKS, 'subject');
}

/**
 * The filters that refuse a message: none where it matches. Its details are fetched where the summary does not tell. `first` stops
 * where it is refused; `every`, for a report, names all that refuse, and where details can't be had those that are known.
 */
export async function refusalsOf(
  arrival: Arrival,
  filter: MessageFilter,
  load: (options: CallOptions) => Promise<Message | null>,
  options: CallOptions,
  which: 'first' | 'every' = 'first',
): Promise<Refusal[]> {
  const { summary } = arrival;
  const refusals: Refusal[] = [];
  const refuse = (name: (typeof TEXTS)[number], wanted: TextFilter, saw: readonly (string | null)[]) =>
    refusals.push({ filter: name, reason: `${name} has no ${writeTextFilter(wanted)}: ${show(saw)}` });
  const { subject, from, to, body, where } = filter;

  if (subject !== undefined && !hasText([summary.subject], subject)) refuse('subject', subject, [summary.subject]);
  const isFrom = from === undefined || hasText([summary.from], from);
  const isTo = to === undefined || hasText([summary.to], to) || isSentTo(arrival, to);
  const needsDetail = !isFrom || !isTo || body !== undefined || where !== undefined;
  const isReport = which === 'every';
  // What is refused already is not worth a request.
  const message = !needsDetail || (!isReport && refusals.length > 0) ? null : await detailOf(load, options, isReport);
  if (!isFrom && !hasText([message?.envelopeFrom], from)) refuse('from', from, [summary.from]);
  if (!isTo && !hasText([message?.cc, message?.bcc], to)) refuse('to', to, [summary.to]);
  if (message === null) return refusals;
  if (body !== undefined) {
    const texts = [message.text, message.html === null ? null : visibleText(message.html).text];
    if (!hasText(texts, body)) refuse('body', body, texts);
  }
  if (where !== undefined && isReport) {
    const reason = whyNot(where, message);
    if (reason !== null) refusals.push({ filter: 'where', reason });
  } else if (where !== undefined && refusals.length === 0 && !asks(where, message)) {
    refusals.push({ filter: 'where', reason: 'where said no' });
  }
  return refusals;
}

/** As it stands behind what it is about, in brackets; nothing where it asks for nothing. */
export function inBrackets(filter: object): string {
  return isEmpty(filter) ? '' : ` (${writeFilter(filter)})`;
}

/** Whether it asks for nothing. */
export function isEmpty(filter: object): boolean {
  return Object.values(filter).every((one) => one === undefined);
}

/** As it stands in an error: `{ subject: "code", from: /shop/ }`. */
export function writeFilter(filter: object): string {
  const parts = Object.entries(filter).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined) return [];
    if (typeof value === 'function') return [name];
    return [
      `${name}: ${typeof value === 'string' || value instanceof RegExp ? writeTextFilter(value) : String(value)}`,
    ];
  });
  return parts.length === 0 ? 'anything' : `{ ${parts.join(', ')} }`;
}

async function detailOf(
  load: (options: CallOptions) => Promise<Message | null>,
  options: CallOptions,
  isReport: boolean,
): Promise<Message | null> {
  try {
    return await load(options);
  } catch (error) {
    // A report is not to fail for want of it.
    if (isReport) return null;
    throw error;
  }
}

function isSentTo({ sentTo }: Arrival, to: TextFilter): boolean {
  return typeof to === 'string' && sentTo.has(to.toLowerCase());
}

function show(texts: readonly (string | null)[]): string {
  const text = texts.find((one) => one !== null) ?? null;
  if (text === null) return 'it has none';
  const line = text.replace(/\s+/g, ' ').trim();
  return `it is ${JSON.stringify(line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line)}`;
}
