import type { Api } from '../connection/api.ts';
import { BODIES } from '../connection/operations.ts';
import type { SendRequest, SendResponse } from '../connection/resources.ts';
import { AmbiguityError, ContentError, UnexpectedError } from '../errors.ts';
import { asServerSays, CALL, checkOptions, each } from '../options/check-options.ts';
import { inBrackets } from '../options/filters.ts';
import type { CallOptions } from '../transport/transport.ts';
import { locatedAll, locatedSync } from '../waiting/call-site.ts';
import {
  createWaits,
  type EntrySource,
  type LookOptions,
  type WaitOptions,
  type WatchOptions,
  withNonConsumingWait,
} from '../waiting/wait.ts';
import { type Arrival, type Arrivals, type MailboxParts, SentCopies } from './arrivals.ts';
import { type CodeOptions, checkCodeOptions, checkLinkFilter, type LinkFilter } from './choose.ts';
import { createMessage, type Message } from './message.ts';
import { checkMessageFilter, type Load, type MessageFilter, refusalsOf } from './message-filter.ts';
import { noMessage, noteWait } from './wait-report.ts';

/** A handle of a test's own mailbox, or of its own address in a shared mailbox. Both work in the same way. */
export interface Mailbox {
  /** The id of the mailbox; other handles have the same id if the mailbox is shared. */
  readonly id: string;
  /**
   * The address of this handle. No other handle has it.
   *
   * @example await page.getByLabel('Email').fill(mailbox.address);
   */
  readonly address: string;
  /**
   * The addresses of any domain that this mailbox claims, such as `alice@email.com` and `*@acme.test`; empty by
   * default.
   *
   * @example const { addresses } = await createMailbox({ addresses: ['alice@email.com'] });
   */
  readonly addresses: readonly string[];
  /**
   * Returns another address of this handle, with the given local part. Throws an OptionError for an invalid local part
   * (RFC 5321 section 4.1.2).
   *
   * @example mailbox.addressFor('billing');
   */
  addressFor(localPart: string): string;
  /**
   * Waits for the one message that matches and that no wait has returned. A message from before the wait counts too.
   * Throws a WaitTimeoutError with the reasons if none came within `timeout` (10,000 ms by default), and an
   * AmbiguityError if several match.
   *
   * @example const message = await mailbox.waitForMessage({ subject: 'Welcome' });
   */
  waitForMessage(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;
  /**
   * Waits for `count` messages and returns them in the order they came. It waits and throws like
   * {@link waitForMessage}.
   *
   * @example const [first, second] = await mailbox.waitForMessages(2);
   */
  waitForMessages(count: number, filter?: MessageFilter, options?: WaitOptions): Promise<Message[]>;
  /**
   * Waits for the one message that matches, and returns its code. Throws a ContentError with the code `no_code` if the
   * message has no code, and a WaitTimeoutError if no message came.
   *
   * @example await page.getByLabel('Code').fill(await mailbox.waitForCode());
   */
  waitForCode(
    filter?: MessageFilter,
    options?: WaitOptions & { readonly code?: CodeOptions | undefined },
  ): Promise<string>;
  /**
   * Waits for the one message that matches, and returns the absolute URL of its link to follow. The URL fits
   * `page.goto`. Throws a ContentError with the code `no_link` if the message has no link, and a WaitTimeoutError if no
   * message came.
   *
   * @example await page.goto(await mailbox.waitForLink({ subject: 'Confirm' }));
   */
  waitForLink(
    filter?: MessageFilter,
    options?: WaitOptions & { readonly link?: LinkFilter | undefined },
  ): Promise<string>;
  /**
   * Watches for `for` milliseconds, and resolves if no matching message comes. A message that came before and that no
   * wait has returned counts too. Throws an UnexpectedError as soon as one matches.
   *
   * @example await mailbox.expectNoMessage({ subject: 'Newsletter' }, { for: 2_000 });
   */
  expectNoMessage(filter: MessageFilter | undefined, options: WatchOptions): Promise<void>;
  /**
   * Waits like {@link waitForMessage}, but does not take the message: the next wait may return it again.
   *
   * @example const { subject } = await mailbox.peek({ to: mailbox.address });
   */
  peek(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;
  /**
   * Lists all messages that match and that the mailbox holds now, oldest first. Messages that a wait has returned are
   * included. The list starts at the start of the handle, or at `since`.
   *
   * @example expect(await mailbox.messages()).toHaveLength(1);
   */
  messages(filter?: MessageFilter, options?: LookOptions): Promise<Message[]>;
  /**
   * Sends an email from this mailbox. `from` is its own address by default. The mailbox keeps a copy, which no wait
   * returns. Throws a RefusedError if the server does not send it, for example with the code `recipients_not_allowed`.
   *
   * @example await mailbox.send({ to: 'app@mailcap.example.com', subject: 'Re: ticket', textBody: 'Solved.' });
   */
  send(request: SendRequest, options?: CallOptions): Promise<SendResponse>;
  /**
   * Deletes the messages of this handle. If the server can't delete, later waits ignore them.
   *
   * @example await mailbox.clear();
   */
  clear(options?: CallOptions): Promise<void>;
  /**
   * Deletes the mailbox, if this handle created it and the server can delete it. A fixture calls it when its test ends.
   *
   * @example await mailbox.delete();
   */
  delete(options?: CallOptions): Promise<void>;
}

export function createMailboxHandle(parts: MailboxParts): Mailbox {
  const { api, settings, arrivals, recipients, isOwn } = parts;
  const { mailboxId } = arrivals;
  const messages = new Map<string, Promise<Message | null>>();
  const sent = SentCopies.of(api);

  const load = (arrival: Arrival, options: CallOptions): Promise<Message | null> => {
    const known = messages.get(arrival.id);
    if (known !== undefined) return known;
    const made = arrival.detail(options).then((detail) => (detail === null ? null : createMessage(detail, api.local)));
    messages.set(arrival.id, made);
    made.catch(() => messages.delete(arrival.id));
    return made;
  };

  const waits = createWaits<Arrival, Message, MessageFilter>({
    timeoutMs: settings.timeoutMs,
    signal: settings.signal,
    check: checkMessageFilter,
    source: (filter, since, name) => matchingSource(parts, arrivals.since(since), filter, name, load),
    matches: async (arrival, filter, options) => {
      if ((await sent.has(arrival.id)) || !(await recipients.isFor(arrival, options))) return false;
      const refusals = await refusalsOf(arrival, filter, (o) => load(arrival, o), options);
      return refusals.length === 0 && (await load(arrival, options)) !== null;
    },
    load: async (arrival, options) => {
      const message = await load(arrival, options);
      if (message === null)
        throw new ContentError('not_found', `The message ${arrival.id} was deleted while it was read.`);
      return message;
    },
    several: severalMessages,
    unexpected: (filter, found) => unexpectedMessages(recipients.address, filter, found),
    missed: (missed, options) => noMessage(parts, missed, load, options),
  });

  const calls: Omit<Mailbox, 'id' | 'address' | 'addresses' | 'addressFor'> = {
    waitForMessage: (filter, options) => waits.one('waitForMessage', filter, options, (message) => message),
    waitForMessages: (count, filter, options) => waits.many('waitForMessages', count, filter, options),
    waitForCode: (filter, options) =>
      waits.one('waitForCode', filter, options, (message) => message.code(options?.code), { code: checkCodeOptions }),
    waitForLink: (filter, options) =>
      waits.one('waitForLink', filter, options, (message) => message.link(options?.link).href, {
        link: checkLinkFilter,
      }),
    expectNoMessage: (filter, options) => waits.none('expectNoMessage', filter, options),
    peek: (filter, options) => waits.look('peek', filter, options),
    messages: (filter, options) => waits.all('messages', filter, options),
    send: async (request, options) => {
      checkOptions('send', request, each(BODIES.sendEmail, asServerSays));
      return sent.remember(api.sendEmail(mailboxId, { from: recipients.address, ...request }, options));
    },
    clear: async (options = {}) => {
      checkOptions('The last argument of clear', options, CALL);
      if (!(await api.hasLocalApi())) return arrivals.moveOn(options);
      if (recipients.part === null) await api.local.clearMailbox(mailboxId, {}, options);
      else await deleteEach(await waits.all('clear', {}, options), api, options);
      arrivals.forget();
    },
    delete: async (options = {}) => {
      checkOptions('The last argument of delete', options, CALL);
      if (isOwn && (await api.hasLocalApi())) await api.local.deleteMailbox(mailboxId, options);
    },
  };

  const handle: Mailbox = {
    id: mailboxId,
    address: recipients.address,
    addresses: [...recipients.claimed],
    addressFor: locatedSync((localPart) => recipients.addressFor(localPart)),
    ...locatedAll(calls),
  };
  return withNonConsumingWait(handle, waits.peek);
}

/** Returns the source of a wait. It skips messages of which the server knows that they do not match. */
function matchingSource(
  parts: MailboxParts,
  arrivals: Arrivals,
  filter: MessageFilter,
  name: string,
  load: Load,
): EntrySource<Arrival> {
  const { subject, from, to } = filter;
  const asked = { subject: partOf(subject), from: partOf(from), to: parts.recipients.part ?? partOf(to) };
  return {
    returned: arrivals.returned,
    passedOver: arrivals.passedOver,
    entries: () => arrivals.entries(),
    listed: (options) => arrivals.listed(options),
    refresh: (options) => arrivals.refresh(options),
    next: async (deadline) =>
      arrivals.nextMatching(deadline, asked, await noteWait(parts, arrivals, filter, asked, name, load, deadline)),
  };
}

async function deleteEach(messages: readonly Message[], { local }: Api, options: CallOptions): Promise<void> {
  for (const { id } of messages) await local.deleteMessage(id, options);
}

/** Returns the filter if the server can apply it: a non-empty string, not a pattern. */
function partOf(filter: string | RegExp | undefined): string | undefined {
  return typeof filter === 'string' && filter !== '' ? filter : undefined;
}

function severalMessages(count: number, filter: MessageFilter, found: readonly Message[]): AmbiguityError {
  const wanted = count === 1 ? 'one' : `${count} of them`;
  const message = `${found.length} new messages match, but the wait is for ${wanted}${inBrackets(filter)}:`;
  return new AmbiguityError('several_messages', message, found.map(describeMessage), {
    hint: "Narrow the filter, or choose with { pick: 'newest' } or { pick: 'oldest' }.",
  });
}

function unexpectedMessages(address: string, filter: MessageFilter, found: readonly Message[]): UnexpectedError {
  const lines = found.map((message) => `  ${describeMessage(message)}`).join('\n');
  return new UnexpectedError(
    'unexpected_message',
    `Expected no message to ${address}${inBrackets(filter)}, but there is:\n${lines}`,
  );
}

function describeMessage({ id, from, to, subject, receivedAt }: Message): string {
  const recipients = to.join(', ') || 'nobody';
  return `${receivedAt.toISOString()} "${subject ?? ''}" from ${`${from}` || 'nobody'} to ${recipients} (${id})`;
}
