import type { Api } from '../connection/api.ts';
import { SEND } from '../connection/cloud-api.ts';
import type { SendRequest, SendResponse } from '../connection/resources.ts';
import { AmbiguityError, ContentError, UnexpectedError } from '../errors.ts';
import { CALL, checkOptions } from '../options/check-options.ts';
import { inBrackets } from '../options/write-filter.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { locatedAll, locatedSync } from '../waiting/call-site.ts';
import { withPeek } from '../waiting/peek.ts';
import type { Source, WaitOptions } from '../waiting/wait.ts';
import { createWaits, type LookOptions, type Window } from '../waiting/waits.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import { type CodeOptions, checkCodeOptions } from './choose-code.ts';
import { checkLinkFilter, type LinkFilter } from './choose-link.ts';
import { createMessage, type Message } from './message.ts';
import { checkMessageFilter, type MessageFilter, refusalsOf } from './message-filter.ts';
import { noMessage } from './no-message.ts';
import type { MailboxParts } from './parts.ts';
import { Sent } from './sent.ts';

/** A mailbox of its own, or one address of a shared one: the same to a test. */
export interface Mailbox {
  /** The id of the mailbox, also where it is shared. */
  readonly id: string;
  /**
   * An address that no other handle has.
   *
   * @example await page.getByLabel('Email').fill(mailbox.address);
   */
  readonly address: string;
  /**
   * The addresses of any domain that this mailbox claims, as `alice@email.com` and `*@acme.test`; none if none were asked for.
   *
   * @example const { addresses } = await createMailbox({ addresses: ['alice@email.com'] });
   */
  readonly addresses: readonly string[];
  /**
   * Another address of this handle: any local part is caught. Throws an OptionError for what can't stand before the @.
   *
   * @example mailbox.addressFor('billing');
   */
  addressFor(localPart: string): string;
  /**
   * The one message that matches and no wait has returned, whether it came before the wait or comes during it. Throws a
   * WaitTimeoutError that says why none came within `timeout` (10,000 ms if left out), an AmbiguityError where several did.
   *
   * @example const message = await mailbox.waitForMessage({ subject: 'Welcome' });
   */
  waitForMessage(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;
  /**
   * So many messages, in the order they came; else as {@link waitForMessage}.
   *
   * @example const [first, second] = await mailbox.waitForMessages(2);
   */
  waitForMessages(count: number, filter?: MessageFilter, options?: WaitOptions): Promise<Message[]>;
  /**
   * The code in the one message that matches. A message without a code is another error, `no_code`, than no message.
   *
   * @example await page.getByLabel('Code').fill(await mailbox.waitForCode());
   */
  waitForCode(
    filter?: MessageFilter,
    options?: WaitOptions & { readonly code?: CodeOptions | undefined },
  ): Promise<string>;
  /**
   * The address of the link to follow in the one message that matches, which goes into `page.goto` as it is. A message without a link
   * is another error, `no_link`, than no message.
   *
   * @example await page.goto(await mailbox.waitForLink({ subject: 'Confirm' }));
   */
  waitForLink(
    filter?: MessageFilter,
    options?: WaitOptions & { readonly link?: LinkFilter | undefined },
  ): Promise<string>;
  /**
   * Watches for so many milliseconds that no message comes that matches, nor is there already and not returned. Throws an
   * UnexpectedError at once where one is.
   *
   * @example await mailbox.expectNoMessage({ subject: 'Newsletter' }, { for: 2_000 });
   */
  expectNoMessage(filter: MessageFilter | undefined, options: Window): Promise<void>;
  /**
   * As {@link waitForMessage}, but takes nothing: the next wait may return the same message.
   *
   * @example const { subject } = await mailbox.peek({ to: mailbox.address });
   */
  peek(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;
  /**
   * All messages that match and that the mailbox holds now, oldest first, also those that waits have returned. They begin where
   * the handle does, or at `since`.
   *
   * @example expect(await mailbox.messages()).toHaveLength(1);
   */
  messages(filter?: MessageFilter, options?: LookOptions): Promise<Message[]>;
  /**
   * Sends an email from this mailbox, from its address unless `request` says otherwise. The copy it keeps is not mail that came. Throws
   * a RefusedError where the server does not send it, as `recipients_not_allowed`.
   *
   * @example await mailbox.send({ to: 'app@mailcap.test', subject: 'Re: ticket', textBody: 'Solved.' });
   */
  send(request: SendRequest, options?: CallOptions): Promise<SendResponse>;
  /**
   * Deletes its messages; where the server can't, they are passed over from now on.
   *
   * @example await mailbox.clear();
   */
  clear(options?: CallOptions): Promise<void>;
  /**
   * Deletes the mailbox, where this handle made it and the server can. A fixture does so when its test ends.
   *
   * @example await mailbox.delete();
   */
  delete(options?: CallOptions): Promise<void>;
}

export function createMailboxHandle(parts: MailboxParts): Mailbox {
  const { api, settings, arrivals, recipients, isOwn } = parts;
  const { mailboxId } = arrivals;
  const messages = new Map<string, Promise<Message | null>>();
  const sent = Sent.of(api);

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
    source: (filter, since) => matchingSource(arrivals.since(since), filter, recipients.part),
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
      checkOptions('send', request, SEND);
      return sent.remember(api.sendEmail(mailboxId, { from: recipients.address, ...request }, options));
    },
    clear: async (options = {}) => {
      checkOptions('The last argument of clear', options, CALL);
      if (!(await api.hasLocalApi())) return arrivals.moveOn(options);
      if (recipients.part === null) await api.local.clearMessages(mailboxId, options);
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
  return withPeek(handle, waits.peek);
}

/** The source of the messages that a filter may match: not woken by what the server can tell does not. */
function matchingSource(
  arrivals: Arrivals,
  { subject, from, to }: MessageFilter,
  part: string | null,
): Source<Arrival> {
  const filter = { subject: partOf(subject), from: partOf(from), to: part ?? partOf(to) };
  return {
    returned: arrivals.returned,
    passedOver: arrivals.passedOver,
    entries: () => arrivals.entries(),
    listed: (options) => arrivals.listed(options),
    refresh: (options) => arrivals.refresh(options),
    next: (deadline) => arrivals.nextMatching(deadline, filter),
  };
}

async function deleteEach(messages: readonly Message[], { local }: Api, options: CallOptions): Promise<void> {
  for (const { id } of messages) await local.deleteMessage(id, options);
}

/** What the server can look for itself. */
function partOf(filter: string | RegExp | undefined): string | undefined {
  return typeof filter === 'string' && filter !== '' ? filter : undefined;
}

function severalMessages(count: number, filter: MessageFilter, found: readonly Message[]): AmbiguityError {
  const wanted = count === 1 ? 'one message was' : `${count} messages were`;
  const message = `${found.length} new messages match, where ${wanted} waited for${inBrackets(filter)}:`;
  return new AmbiguityError('several_messages', message, found.map(describeMessage), {
    hint: "Narrow the filter, or say which is meant: { pick: 'newest' } or { pick: 'oldest' }.",
  });
}

function unexpectedMessages(address: string, filter: MessageFilter, found: readonly Message[]): UnexpectedError {
  const lines = found.map((message) => `  ${describeMessage(message)}`).join('\n');
  return new UnexpectedError(
    'unexpected_message',
    `No message was to come to ${address}${inBrackets(filter)}, but there is:\n${lines}`,
  );
}

function describeMessage({ id, from, to, subject, receivedAt }: Message): string {
  const recipients = to.join(', ') || 'nobody';
  return `${receivedAt.toISOString()} "${subject ?? ''}" from ${`${from}` || 'nobody'} to ${recipients} (${id})`;
}
