import type { Arrival, Arrivals } from './arrivals.ts';
import { locatedAll, locatedSync } from './call-site.ts';
import { CALL, type Checks, checkOptions, count as wholeNumber } from './check-options.ts';
import { type CodeOptions, checkCodeOptions } from './choose-code.ts';
import { checkLinkFilter, type LinkFilter } from './choose-link.ts';
import type { Client } from './client.ts';
import { SEND } from './cloud-api.ts';
import type { CallOptions } from './deadline.ts';
import { AmbiguityError, ContentError, UnexpectedError } from './errors.ts';
import { createMessage, type Message } from './message.ts';
import { checkMessageFilter, inBrackets, type MessageFilter, refusalsOf } from './message-filter.ts';
import { noMessage } from './no-message.ts';
import type { Settings } from './options.ts';
import { asIfUnreturned, withPeek } from './peek.ts';
import type { Recipients } from './recipients.ts';
import type { SendRequest, SendResponse } from './resources.ts';
import { Sent } from './sent.ts';
import { checkWaitOptions, checkWindow, expectNone, type Source, type WaitOptions, waitFor } from './wait.ts';

/** A mailbox of its own, or one address of a shared one: the same to a test. */
export interface Mailbox {
  /** Of the mailbox, also where it is shared. */
  readonly id: string;
  /** Unique to this handle. */
  readonly address: string;
  /** Another address of this handle: any local part is caught. */
  addressFor(localPart: string): string;
  /** The one message that matches and no wait has returned, whether it came before the wait or comes during it. */
  waitForMessage(filter?: MessageFilter, options?: WaitOptions): Promise<Message>;
  /** So many, in the order they came. */
  waitForMessages(count: number, filter?: MessageFilter, options?: WaitOptions): Promise<Message[]>;
  /** The code in the one message that matches. A message without one is another error than no message. */
  waitForCode(
    filter?: MessageFilter,
    options?: WaitOptions & { readonly code?: CodeOptions | undefined },
  ): Promise<string>;
  /** The link in the one message that matches. */
  waitForLink(filter?: MessageFilter, options?: WaitOptions & { readonly link?: LinkFilter | undefined }): Promise<URL>;
  /** Watches for so many milliseconds that no message comes that matches, nor is there already. */
  expectNoMessage(
    filter: MessageFilter | undefined,
    options: { readonly for: number } & Pick<CallOptions, 'signal'>,
  ): Promise<void>;
  /** All that came and match, also those that waits have returned, in the order they came. */
  messages(filter?: MessageFilter, options?: CallOptions): Promise<Message[]>;
  /** Sends an email from this mailbox, from its address unless `request` says otherwise. The copy it keeps is not mail that came. */
  send(request: SendRequest, options?: CallOptions): Promise<SendResponse>;
  /** Deletes its messages; where the server can't, they are passed over from now on. */
  clear(options?: CallOptions): Promise<void>;
  /** Deletes the mailbox, where this handle made it and the server can. */
  delete(options?: CallOptions): Promise<void>;
}

/** What a handle stands on. */
export interface MailboxParts {
  readonly client: Client;
  readonly settings: Settings;
  readonly arrivals: Arrivals;
  readonly recipients: Recipients;
  /** Whether the mailbox is this handle's alone. */
  readonly isOwn: boolean;
}

export function createMailboxHandle(parts: MailboxParts): Mailbox {
  const { client, settings, arrivals, recipients, isOwn } = parts;
  const { mailboxId } = arrivals;
  const messages = new Map<string, Promise<Message | null>>();
  const sent = Sent.of(client);

  const load = (arrival: Arrival, options: CallOptions): Promise<Message | null> => {
    const known = messages.get(arrival.id);
    if (known !== undefined) return known;
    const made = arrival
      .detail(options)
      .then((detail) => (detail === null ? null : createMessage(detail, client.local)));
    messages.set(arrival.id, made);
    made.catch(() => messages.delete(arrival.id));
    return made;
  };
  const loadThere = async (arrival: Arrival, options: CallOptions): Promise<Message> => {
    const message = await load(arrival, options);
    if (message === null)
      throw new ContentError('not_found', `The message ${arrival.id} was deleted while it was read.`);
    return message;
  };
  const matches = async (arrival: Arrival, filter: MessageFilter, options: CallOptions): Promise<boolean> => {
    if ((await sent.has(arrival.id)) || !(await recipients.isFor(arrival, options))) return false;
    const refusals = await refusalsOf(arrival, filter, (o) => load(arrival, o), options);
    return refusals.length === 0 && (await load(arrival, options)) !== null;
  };
  const sourceFor = (filter: MessageFilter): Source<Arrival> => ({
    returned: arrivals.returned,
    passedOver: arrivals.passedOver,
    entries: () => arrivals.entries(),
    refresh: (options) => arrivals.refresh(options),
    next: (deadline) =>
      arrivals.nextMatching(deadline, {
        subject: partOf(filter.subject),
        from: partOf(filter.from),
        to: recipients.part ?? partOf(filter.to),
      }),
  });

  async function wait<Result>(
    name: string,
    count: number,
    filter: MessageFilter,
    options: WaitOptions,
    take: (messages: readonly Message[]) => Result,
    more: Checks = {},
    given?: Source<Arrival>,
  ): Promise<Result> {
    checkMessageFilter(filter);
    checkWaitOptions(name, options, more);
    const source = given ?? sourceFor(filter);
    const timeoutMs = options.timeout ?? settings.timeoutMs;
    return waitFor({
      source,
      matches: (arrival, o) => matches(arrival, filter, o),
      load: loadThere,
      count,
      options,
      timeoutMs,
      signal: settings.signal,
      take,
      several: (found) => severalMessages(count, filter, found),
      missed: (o) => noMessage(parts, { name, count, filter, timeoutMs, load }, o),
    });
  }

  const calls = {
    waitForMessage: (filter: MessageFilter = {}, options: WaitOptions = {}) =>
      wait('waitForMessage', 1, filter, options, only),
    waitForMessages: async (count: number, filter: MessageFilter = {}, options: WaitOptions = {}) => {
      wholeNumber('count', count);
      return wait('waitForMessages', count, filter, options, (found) => [...found]);
    },
    waitForCode: (filter: MessageFilter = {}, options: WaitOptions & { code?: CodeOptions | undefined } = {}) =>
      wait('waitForCode', 1, filter, options, (found) => only(found).code(options.code), { code: checkCodeOptions }),
    waitForLink: (filter: MessageFilter = {}, options: WaitOptions & { link?: LinkFilter | undefined } = {}) =>
      wait('waitForLink', 1, filter, options, (found) => only(found).link(options.link), { link: checkLinkFilter }),
    expectNoMessage: async (
      filter: MessageFilter = {},
      options: { for: number } & Pick<CallOptions, 'signal'>,
    ): Promise<void> => {
      checkMessageFilter(filter);
      checkWindow('expectNoMessage', options);
      await expectNone({
        source: sourceFor(filter),
        matches: (arrival, o) => matches(arrival, filter, o),
        load: loadThere,
        options: { signal: options.signal },
        timeoutMs: options.for,
        signal: settings.signal,
        unexpected: (found) => unexpectedMessages(recipients.address, filter, found),
      });
    },
    messages: async (filter: MessageFilter = {}, options: CallOptions = {}): Promise<Message[]> => {
      checkMessageFilter(filter);
      checkOptions('The last argument of messages', options, CALL);
      await arrivals.refresh(options);
      const all = arrivals.entries();
      const found = await Promise.all(
        all.map(async (arrival) => ((await matches(arrival, filter, options)) ? load(arrival, options) : null)),
      );
      return found.filter((message) => message !== null);
    },
    send: async (request: SendRequest, options?: CallOptions) => {
      checkOptions('send', request, SEND);
      return sent.remember(client.sendEmail(mailboxId, { from: recipients.address, ...request }, options));
    },
    clear: async (options: CallOptions = {}): Promise<void> => {
      checkOptions('The last argument of clear', options, CALL);
      if (await client.hasLocalApi()) {
        if (recipients.part === null) await client.local.clearMessages(mailboxId, options);
        else await deleteEach(await calls.messages({}, options), client, options);
      }
      await arrivals.moveOn(options);
    },
    delete: async (options: CallOptions = {}): Promise<void> => {
      checkOptions('The last argument of delete', options, CALL);
      if (isOwn && (await client.hasLocalApi())) await client.local.deleteMailbox(mailboxId, options);
    },
  };

  const handle: Mailbox = {
    id: mailboxId,
    address: recipients.address,
    addressFor: locatedSync((localPart) => recipients.addressFor(localPart)),
    ...locatedAll(calls),
  };
  return withPeek(handle, async (filter: MessageFilter, options) => {
    checkMessageFilter(filter);
    checkOptions('What toHaveReceived is given after the filter', options, CALL);
    const source = asIfUnreturned(sourceFor(filter));
    return wait('toHaveReceived', 1, filter, { ...options, pick: 'oldest' }, () => {}, {}, source);
  });
}

async function deleteEach(messages: readonly Message[], { local }: Client, options: CallOptions): Promise<void> {
  for (const { id } of messages) await local.deleteMessage(id, options);
}

/** What the server can look for itself. */
function partOf(filter: string | RegExp | undefined): string | undefined {
  return typeof filter === 'string' && filter !== '' ? filter : undefined;
}

function only(found: readonly Message[]): Message {
  const [message] = found;
  if (message === undefined) throw new Error('a wait for one message returned none');
  return message;
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
  return `${receivedAt.toISOString()} "${subject ?? ''}" from ${from ?? 'nobody'} to ${to ?? 'nobody'} (${id})`;
}
