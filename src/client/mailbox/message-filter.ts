import { visibleText } from '../../extract/visible-text.ts';
import { shorten } from '../../text/shorten.ts';
import { each, textOrPattern } from '../options/check-options.ts';
import { asks, checkFilter, hasText, type TextFilter, whyNot, writeTextFilter } from '../options/filters.ts';
import type { CallOptions } from '../transport/transport.ts';
import { PASSED_OVER } from '../waiting/wait.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import { type Address, addressesOf, comparable, isWholeAddress, type Message } from './message.ts';

/**
 * The filters of a message, all of which must match. A text matches as a part, in any case; a pattern is tested as it
 * is.
 *
 * @example await mailbox.waitForMessage({ subject: 'code', from: 'noreply@shop.test' });
 */
export interface MessageFilter {
  /** A filter of the subject. */
  readonly subject?: TextFilter | undefined;
  /** A filter of the From header and the envelope sender. A whole address matches only that sender. */
  readonly from?: TextFilter | undefined;
  /**
   * A filter of the recipients. A whole address matches only that recipient: `bob@shop.test` does not match
   * `bigbob@shop.test`.
   */
  readonly to?: TextFilter | undefined;
  /** A filter of the body: its text part, or the visible text of its HTML. */
  readonly body?: TextFilter | undefined;
  /**
   * A predicate. It must return true or false at once; an asynchronous function is an OptionError.
   *
   * @example { where: ({ attachments }) => attachments.length === 2 }
   */
  readonly where?: ((message: Message) => boolean) | undefined;
}

/** A filter that a message does not match, and the reason. */
export interface FilterMismatch {
  readonly filter: keyof MessageFilter;
  readonly reason: string;
}

const TEXTS = ['subject', 'from', 'to', 'body'] as const;
const CHECKS = each(TEXTS, textOrPattern);
const MAX_SHOWN = 100;

/** Throws an OptionError for an unknown filter or an invalid value. */
export function checkMessageFilter(filter: MessageFilter): void {
  checkFilter('A message filter', filter, CHECKS, 'subject');
}

/**
 * Returns the filters that a message does not match; none if it matches. It fetches the whole message only if the
 * summary does not decide. `first` stops at the first mismatch. `every`, for a report, returns all of them; if the
 * message can't be fetched, it returns the known ones.
 */
export async function refusalsOf(
  arrival: Arrival,
  filter: MessageFilter,
  load: (options: CallOptions) => Promise<Message | null>,
  options: CallOptions,
  which: 'first' | 'every' = 'first',
): Promise<FilterMismatch[]> {
  const { summary } = arrival;
  const refusals: FilterMismatch[] = [];
  const refuse = (name: (typeof TEXTS)[number], wanted: TextFilter, saw: readonly (string | null)[]) => {
    const isWhole = (name === 'from' || name === 'to') && typeof wanted === 'string' && isWholeAddress(wanted);
    refusals.push({
      filter: name,
      reason: `${name} ${isWhole ? 'is not' : 'has no'} ${writeTextFilter(wanted)}: ${show(saw)}`,
    });
  };
  const { subject, from, to, body, where } = filter;

  if (subject !== undefined && !hasText([summary.subject], subject)) refuse('subject', subject, [summary.subject]);
  const isFrom = from === undefined || hasAddress([summary.from], from);
  const isTo = to === undefined || hasAddress([summary.to], to) || isSentTo(arrival, to);
  const needsDetail = !isFrom || !isTo || body !== undefined || where !== undefined;
  const isReport = which === 'every';
  // A refusal that is known already needs no request.
  const message = !needsDetail || (!isReport && refusals.length > 0) ? null : await detailOf(load, options, isReport);
  if (!isFrom && !hasAddress([message?.envelopeFrom ?? null], from)) refuse('from', from, [summary.from]);
  if (!isTo && !hasAddress([...(message?.cc ?? []), ...(message?.bcc ?? [])], to)) refuse('to', to, [summary.to]);
  if (message === null) return refusals;
  if (body !== undefined) {
    const texts = [message.text, message.html === null ? null : visibleText(message.html).text];
    if (!hasText(texts, body)) refuse('body', body, texts);
  }
  if (where !== undefined && isReport) {
    const reason = whyNot(where, message);
    if (reason !== null) refusals.push({ filter: 'where', reason });
  } else if (where !== undefined && refusals.length === 0 && !asks(where, message)) {
    refusals.push({ filter: 'where', reason: 'where returned false' });
  }
  return refusals;
}

async function detailOf(
  load: (options: CallOptions) => Promise<Message | null>,
  options: CallOptions,
  isReport: boolean,
): Promise<Message | null> {
  try {
    return await load(options);
  } catch (error) {
    // A report must not fail because a message can't be fetched.
    if (isReport) return null;
    throw error;
  }
}

/** Tells whether any header or address contains the filter. A whole address must be equal to one of them. */
function hasAddress(all: readonly (Address | string | null)[], filter: TextFilter): boolean {
  if (typeof filter !== 'string' || !isWholeAddress(filter))
    return hasText(
      all.map((one) => (one === null ? null : `${one}`)),
      filter,
    );
  const wanted = comparable(filter);
  const addresses = all.flatMap((one) => (typeof one === 'string' ? addressesOf(one) : one === null ? [] : [one]));
  return addresses.some(({ address }) => comparable(address) === wanted);
}

/** Tells whether the server found this part of an address in the envelope. */
function isSentTo({ sentTo }: Arrival, to: TextFilter): boolean {
  return typeof to === 'string' && !isWholeAddress(to) && sentTo.has(to.toLowerCase());
}

function show(texts: readonly (string | null)[]): string {
  const text = texts.find((one) => one !== null) ?? null;
  if (text === null) return 'it has none';
  const line = text.replace(/\s+/g, ' ').trim();
  return `it is ${JSON.stringify(shorten(line, MAX_SHOWN))}`;
}

/** Loads the message of an arrival; null if it was deleted. */
export type Load = (arrival: Arrival, options: CallOptions) => Promise<Message | null>;

/**
 * Returns the reason why a wait does not return a message; null if nothing stands against it. It decides by the filters
 * of the wait itself.
 */
export async function reasonAgainst(
  { passedOver, returned }: Pick<Arrivals, 'passedOver' | 'returned'>,
  filter: MessageFilter,
  arrival: Arrival,
  load: Load,
  options: CallOptions,
): Promise<string | null> {
  if (passedOver.has(arrival.id)) return PASSED_OVER;
  if (returned.has(arrival.id)) return 'an earlier wait returned it';
  const refusals = await refusalsOf(arrival, filter, (o) => load(arrival, o), options, 'every');
  return refusals.length === 0 ? null : `refused, ${refusals.map(({ reason }) => reason).join('; ')}`;
}
