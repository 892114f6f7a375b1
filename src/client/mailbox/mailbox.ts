import type { Api } from '../connection/caller.ts';
import { BODIES } from '../connection/operations.ts';
import type { MailboxResponse, SendRequest, SendResponse } from '../connection/resources.ts';
import { apiTime, randomName } from '../environment.ts';
import { LocalOnlyError, MailcapError, RefusedError } from '../errors.ts';
import {
  asServerSays,
  CALL,
  checkOptions,
  each,
  filledText,
  flag,
  listOfTexts,
  type OptionChecks,
  oneOf,
  text,
} from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions, Deadline } from '../transport/transport.ts';
import { locatedAll, locatedSync } from '../waiting/call-site.ts';
import { loadingOnce } from '../waiting/known-entries.ts';
import {
  type AskedWait,
  createWaits,
  type LookOptions,
  sinceOf,
  type WaitOptions,
  type WatchOptions,
  withNonConsumingWait,
} from '../waiting/wait.ts';
import {
  type Arrival,
  Arrivals,
  everyRecipient,
  type MailboxParts,
  namedRecipients,
  SentCopies,
  type Start,
} from './arrivals.ts';
import { type CodeOptions, checkCodeOptions, checkLinkFilter, type LinkFilter } from './choose.ts';
import { checkClaim, claim } from './claim.ts';
import {
  checkMessageFilter,
  describe,
  filterOfSms,
  isOfKind,
  type Load,
  type MessageFilter,
  noMessage,
  noteWait,
  refusalsOf,
  type SmsFilter,
  type WaitParts,
  watchedPlaces,
} from './match.ts';
import { createMessage, type Message } from './message.ts';
import { arrivalsOfKind, type SendSms, type SentSms, type SmsMessage, type SmsRequest, smsOf } from './sms.ts';

/** The options of `client.mailbox()`. */
export interface MailboxOptions extends CallOptions {
  /**
   * An existing mailbox, by its id or subdomain; a new mailbox if left out. Messages from before the handle count only
   * if a wait says `since`.
   */
  readonly mailbox?: string | undefined;
  /**
   * `'mailbox'` gives the handle a mailbox of its own, `'address'` an address in a shared one. The default is
   * `'mailbox'`, and `'address'` in the cloud.
   */
  readonly isolation?: 'mailbox' | 'address' | undefined;
  /** The name of a new mailbox, which the web inbox shows; `'test'` if left out. A random suffix follows it. */
  readonly name?: string | undefined;
  /**
   * The addresses whose mail comes to this mailbox as long as it exists, such as those of the app's seed data. They may
   * be of any domain, and `*@domain` claims all addresses of a domain; none if left out. Throws a LocalOnlyError in the
   * cloud, and a RefusedError with the code `address_taken` if another mailbox claims one.
   *
   * @example await client.mailbox({ addresses: ['alice@email.com', '*@acme.test'] });
   */
  readonly addresses?: readonly string[] | undefined;
  /**
   * The phone numbers whose text messages come to this mailbox as long as it exists, with their country code; none if
   * left out. Two mailboxes can't claim the same number. Throws as `addresses` does.
   *
   * @example await client.mailbox({ phones: ['+15005550006'] });
   */
  readonly phones?: readonly string[] | undefined;
  /**
   * Waits while another mailbox claims one of the addresses or numbers, until `timeout` has passed. Those that wait get the address
   * in the order in which they came. Default: false, and then a taken address is an error at once.
   *
   * @example await client.mailbox({ addresses: ['alice@email.com'], wait: true, timeout: 60_000 });
   */
  readonly wait?: boolean | undefined;
}

const OPTIONS = {
  ...CALL,
  mailbox: filledText,
  isolation: oneOf('mailbox', 'address'),
  name: text,
  addresses: listOfTexts,
  phones: listOfTexts,
  wait: flag,
};
/** The length of the random suffix. It is long enough that no two handles of a workspace get the same. */
const RANDOM_CHARACTERS = 12;
/**
 * The most characters of the given name in the name of a new mailbox. The subdomain keeps fewer, because it is part of
 * every address.
 */
const MAX_NAME = 80;
const MAX_SUBDOMAIN = 24;
/** The name of the shared mailbox. A handle uses it if its options name no mailbox. */
const SHARED = 'mailcap tests';

/** Opens a handle of a new mailbox, of a new address in a shared mailbox, or of an existing mailbox. */
export async function openMailbox(api: Api, settings: Settings, options: MailboxOptions): Promise<Mailbox> {
  checkOptions('The argument of mailbox()', options, OPTIONS, 'An id or a subdomain, as text, or { name: "sign-up" }.');
  const { isolation, name = 'test', mailbox: wanted, phones = [], wait = false, signal } = options;
  const addresses = [...(options.addresses ?? []), ...phones];
  // A wait for an address may take minutes, and the other calls still end in time.
  const timeout = wait && addresses.length > 0 ? undefined : options.timeout;
  const call = { timeout, signal };
  if (addresses.length > 0) await checkClaim(api, options);
  const mailDomain = await mailDomainOf(api, call);
  const random = randomName(RANDOM_CHARACTERS);

  const shares =
    (isolation ?? (wanted !== undefined || (await api.hasLocalApi()) ? 'mailbox' : 'address')) === 'address';
  const isOwn = !shares && wanted === undefined;
  const mailbox = isOwn
    ? await api.createMailbox(
        { name: `${shortened(name)} ${random}`, subdomain: `${subdomainOf(name)}-${random}` },
        call,
      )
    : wanted !== undefined
      ? await findMailbox(api, wanted, call)
      : await sharedMailbox(api, call);
  if (addresses.length > 0)
    await claim(api, mailbox, addresses, { ...call, waitMs: wait ? (options.timeout ?? settings.timeoutMs) : null });
  const start = isOwn ? beginningOf(mailbox) : await newestIn(api, mailbox, call);
  const recipients = shares
    ? namedRecipients(random, mailbox.subdomain, mailDomain)
    : everyRecipient(mailbox.subdomain, mailDomain, addresses);
  const hasPhones = recipients.phones.length > 0;
  const arrivals = new Arrivals(hasPhones ? arrivalsOfKind(api, 'any') : api, mailbox.id, start);
  return createMailboxHandle({ api, settings, arrivals, recipients, isOwn, hasPhones });
}

/** Shortens a name without splitting a surrogate pair. */
function shortened(name: string): string {
  return name.slice(0, MAX_NAME).replace(/[\ud800-\udbff]$/, '');
}

/** Makes a subdomain of the letters and digits of a name, so that an address shows which test it belongs to. */
function subdomainOf(name: string): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, MAX_SUBDOMAIN).replace(/^-+|(?<!-)-+$/g, '') || 'test';
}

/** Finds a mailbox by its id or subdomain, in any case; null if there is none. */
export function mailboxNamed(list: readonly MailboxResponse[], wanted: string): MailboxResponse | null {
  const lower = wanted.toLowerCase();
  return list.find(({ id, subdomain }) => id.toLowerCase() === lower || subdomain === lower) ?? null;
}

async function findMailbox(api: Api, wanted: string, options: CallOptions): Promise<MailboxResponse> {
  const list = await api.listMailboxes(options);
  const found = mailboxNamed(list, wanted);
  if (found !== null) return found;
  throw new MailcapError('not_found', `There is no mailbox ${wanted} that the key can read.`, {
    hint: `It can read: ${list.map(({ subdomain }) => subdomain).join(', ') || 'none'}.`,
  });
}

/** Finds the shared mailbox or creates it. The cloud limits the number of mailboxes and can't delete one. */
async function sharedMailbox(api: Api, options: CallOptions): Promise<MailboxResponse> {
  const list = await api.listMailboxes(options);
  const known = list.find(({ name }) => name.startsWith(SHARED));
  if (known !== undefined) return known;
  try {
    return await api.createMailbox({ name: SHARED }, options);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    // Another workspace has this subdomain, or another worker was faster.
    if (error.code === 'subdomain_taken') return sharedByOthers(api, options);
    const [any] = list;
    if (error.code === 'plan_max_mailboxes_reached' && any !== undefined) return any;
    throw error;
  }
}

async function sharedByOthers(api: Api, options: CallOptions): Promise<MailboxResponse> {
  const made = (await api.listMailboxes(options)).find(({ name }) => name.startsWith(SHARED));
  return made ?? api.createMailbox({ name: `${SHARED} ${randomName(RANDOM_CHARACTERS)}` }, options);
}

function beginningOf({ createdAt }: MailboxResponse): Start {
  return { id: null, receivedAt: Date.parse(createdAt) };
}

async function newestIn(api: Api, mailbox: MailboxResponse, options: CallOptions): Promise<Start> {
  // The newest of a local server may be a text message. It begins waits for those, too.
  const newest = (await api.hasLocalApi())
    ? await api.local.getLatestMessage(mailbox.id, options)
    : (await api.listMessages(mailbox.id, { limit: 1 }, options))[0];
  if (newest === undefined || newest === null) return beginningOf(mailbox);
  return { id: newest.id, receivedAt: Date.parse(newest.receivedAt) };
}

/** The mail domain of each client's server, so that a client asks only once. */
const toldDomains = new WeakMap<Api, string>();

async function mailDomainOf(api: Api, options: CallOptions): Promise<string> {
  const { mailDomain } = await api.server();
  if (mailDomain !== null) return mailDomain;
  const told = toldDomains.get(api);
  if (told !== undefined) return told;
  if (await api.hasLocalApi()) {
    const info = await api.local.getInfo(options);
    toldDomains.set(api, info.mailDomain);
    return info.mailDomain;
  }
  throw new MailcapError('unknown_mail_domain', 'The domain of the mailbox addresses is unknown.', {
    hint: 'Set MAILCAP_MAIL_DOMAIN, or give createClient a mailDomain.',
  });
}

/** The options of a wait for messages. */
export interface MessageWaitOptions extends WaitOptions {
  /**
   * Marks the messages that the wait returns as read, so that both inboxes show them as read. By default a wait marks
   * nothing. Throws a LocalOnlyError in the cloud, which has no marks.
   *
   * @example await mailbox.waitForMessage({ subject: 'Welcome' }, { markRead: true });
   */
  readonly markRead?: boolean | undefined;
}

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
   * The phone numbers that this mailbox claims; empty by default.
   *
   * @example const { phones } = await createMailbox({ phones: ['+15005550006'] });
   */
  readonly phones: readonly string[];
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
  waitForMessage(filter?: MessageFilter, options?: MessageWaitOptions): Promise<Message>;
  /**
   * Waits for `count` messages and returns them in the order they came. It waits and throws like
   * {@link waitForMessage}.
   *
   * @example const [first, second] = await mailbox.waitForMessages(2);
   */
  waitForMessages(count: number, filter?: MessageFilter, options?: MessageWaitOptions): Promise<Message[]>;
  /**
   * Waits for the one text message that matches and that no wait has returned, like {@link waitForMessage}. It comes to a
   * mailbox that claims its number, or else to the inbox. Throws a LocalOnlyError in the cloud, which has none.
   *
   * @example const { body } = await mailbox.waitForSms({ body: 'is on its way' });
   */
  waitForSms(filter?: SmsFilter, options?: MessageWaitOptions): Promise<SmsMessage>;
  /**
   * Waits for the one message that matches, and returns its code. In a mailbox that claims phone numbers it may be a text
   * message. Throws a ContentError with the code `no_code` if the
   * message has no code, and a WaitTimeoutError if no message came.
   *
   * @example await page.getByLabel('Code').fill(await mailbox.waitForCode());
   */
  waitForCode(
    filter?: MessageFilter,
    options?: MessageWaitOptions & { readonly code?: CodeOptions | undefined },
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
    options?: MessageWaitOptions & { readonly link?: LinkFilter | undefined },
  ): Promise<string>;
  /**
   * Watches for `for` milliseconds, and resolves if no matching message comes. A message that came before and that no
   * wait has returned counts too, and in a mailbox with a phone number so does a text message. Throws an UnexpectedError as soon as one matches.
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
   * Sends a text message to the app, as the phone of this mailbox. The app gets the request of the provider that has the
   * number, and `waitForSms` what the app answers. Throws a RefusedError with the code `number_without_app` if no number of
   * the app has a URL for its texts, and a LocalOnlyError in the cloud.
   *
   * @example await mailbox.sendSms({ to: '+15005550006', body: 'HELP' });
   */
  sendSms(request: SmsRequest, options?: CallOptions): Promise<SentSms>;
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

function createMailboxHandle(parts: MailboxParts): Mailbox {
  const { api, settings, arrivals, recipients, isOwn, hasPhones } = parts;
  const { mailboxId } = arrivals;
  const sent = SentCopies.of(api);
  const load: Load = loadingOnce(async (arrival, options) => {
    const detail = await arrival.detail(options);
    return detail === null ? null : createMessage(detail, api.local);
  });

  const waitsIn = (mailbox: MailboxParts, kind: WaitParts['kind']) => {
    const of: WaitParts = { ...mailbox, kind };
    return createWaits<Arrival, Message, MessageFilter>({
      noun: 'message',
      place: watchedPlaces(of),
      timeoutMs: settings.timeoutMs,
      signal: settings.signal,
      check: checkMessageFilter,
      source: (since) => of.arrivals.since(since),
      next: (wait, deadline) => nextMatching(of, wait, load, deadline),
      matches: async (arrival, filter, options) => {
        if (!isOfKind(kind, arrival)) return false;
        if ((await sent.has(arrival.id)) || !(await recipients.isFor(arrival, options))) return false;
        const refusals = await refusalsOf(arrival, filter, () => load(arrival, options));
        return refusals.length === 0 && (await load(arrival, options)) !== null;
      },
      load,
      describe: describeMessage,
      missed: (missed, options) => noMessage(of, missed, load, options),
    });
  };
  const waits = waitsIn(parts, 'email');
  const waitsForAny = hasPhones ? waitsIn(parts, 'any') : waits;
  // Without a number of its own the mailbox may be the inbox, which takes the text messages of all other numbers.
  const textParts = hasPhones
    ? parts
    : { ...parts, arrivals: new Arrivals(arrivalsOfKind(api, 'sms'), mailboxId, arrivals.start) };
  const waitsForSms = waitsIn(textParts, 'sms');

  const one = async <Result>(
    name: string,
    filter: MessageFilter | undefined,
    options: MessageWaitOptions | undefined,
    take: (message: Message) => Result,
    more: OptionChecks = {},
    from = waits,
  ): Promise<Result> => {
    await checkMarks(api, options);
    const taken = (message: Message) => ({ id: message.id, result: take(message) });
    const { id, result } = await from.one(name, filter, options, taken, { ...MARKS, ...more });
    await markRead(api, [id], options);
    return result;
  };

  const sendSms: SendSms = async (request, options) => {
    if (!(await api.hasLocalApi()))
      throw new LocalOnlyError('sendSms', 'The cloud has no phones. Run the test with a local server.');
    checkOptions('sendSms', request, each(BODIES.sendText, asServerSays));
    const { id, from, to, body } = await api.local.sendText(mailboxId, request, options);
    return { id, from, to, body };
  };

  const calls: Omit<Mailbox, 'id' | 'address' | 'addresses' | 'phones' | 'addressFor'> = {
    waitForMessage: (filter, options) => one('waitForMessage', filter, options, (message) => message),
    waitForMessages: async (count, filter, options) => {
      await checkMarks(api, options);
      const messages = await waits.many('waitForMessages', count, filter, options, MARKS);
      await markRead(
        api,
        messages.map(({ id }) => id),
        options,
      );
      return messages;
    },
    waitForSms: async (filter, options) => {
      if (!(await api.hasLocalApi()))
        throw new LocalOnlyError(
          'waitForSms',
          'The cloud receives no text messages. Run the test with a local server.',
        );
      const asSms = (message: Message) => smsOf(message, sendSms);
      return one('waitForSms', filterOfSms(filter, sendSms), options, asSms, {}, waitsForSms);
    },
    waitForCode: (filter, options) => {
      const code = (message: Message) => message.code(options?.code);
      return one('waitForCode', filter, options, code, { code: checkCodeOptions }, waitsForAny);
    },
    waitForLink: (filter, options) => {
      const link = (message: Message) => message.link(options?.link).href;
      return one('waitForLink', filter, options, link, { link: checkLinkFilter }, waitsForAny);
    },
    expectNoMessage: (filter, options) => waitsForAny.none('expectNoMessage', filter, options),
    peek: (filter, options) => waits.look('peek', filter, options),
    messages: (filter, options) => waits.all('messages', filter, options),
    send: async (request, options) => {
      checkOptions('send', request, each(BODIES.sendEmail, asServerSays));
      return sent.remember(api.sendEmail(mailboxId, { from: recipients.address, ...request }, options));
    },
    sendSms,
    clear: async (options = {}) => {
      checkOptions('The last argument of clear', options, CALL);
      if (!(await api.hasLocalApi())) return arrivals.moveOn(options);
      if (recipients.part === null) await api.local.clearMailbox(mailboxId, {}, options);
      else await deleteEach(await waits.all('clear', {}, options), api, options);
      arrivals.forget();
      textParts.arrivals.forget();
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
    phones: [...recipients.phones],
    addressFor: locatedSync((localPart) => recipients.addressFor(localPart)),
    ...locatedAll(calls),
  };
  return withNonConsumingWait(handle, waitsForAny.peek);
}

const MARKS: OptionChecks = { markRead: flag };

/** Throws a LocalOnlyError for a wait that marks messages in the cloud. */
async function checkMarks(api: Api, options: MessageWaitOptions | undefined): Promise<void> {
  if (options?.markRead === true && !(await api.hasLocalApi()))
    throw new LocalOnlyError('markRead', 'The cloud keeps no marks. Leave the option out there.');
}

/** Marks the messages that a wait returns as read, if its options say so. A message that was deleted stays deleted. */
async function markRead(api: Api, ids: readonly string[], options: MessageWaitOptions | undefined): Promise<void> {
  if (options?.markRead === true) await api.local.markMessages({ ids, read: true }, { signal: options.signal });
}

/** Resolves when there may be a new message that matches. The server skips those of which it knows that they do not. */
async function nextMatching(
  parts: WaitParts,
  wait: AskedWait<MessageFilter>,
  load: Load,
  deadline: Deadline,
): Promise<void> {
  const { subject, from, to } = wait.filter;
  const asked = { subject: partOf(subject), from: partOf(from), to: parts.recipients.part ?? partOf(to) };
  // The note is only shown to people. It must not fail the wait.
  const note = await noteWait(parts, wait, asked, load, deadline).catch(() => null);
  await parts.arrivals.since(sinceOf(wait.options)).nextMatching(deadline, asked, note);
}

async function deleteEach(messages: readonly Message[], { local }: Api, options: CallOptions): Promise<void> {
  for (const { id } of messages) await local.deleteMessage(id, options);
}

/** Returns the filter if the server can apply it: a non-empty string, not a pattern. */
function partOf(filter: string | RegExp | undefined): string | undefined {
  return typeof filter === 'string' && filter !== '' ? filter : undefined;
}

function describeMessage({ id, from, to, subject, visibleText, receivedAt }: Message): string {
  const title = subject ?? visibleText;
  const line = { receivedAt: apiTime(receivedAt), kind: undefined, title, from: `${from}`, to: to.join(', ') };
  return `${describe(line)} (${id})`;
}
