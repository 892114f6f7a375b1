import { hasSetClock } from '../clock.ts';
import type { Api, NotedApi } from '../connection/caller.ts';
import type { MessageDetailResponse } from '../connection/resources.ts';
import { sleep, steady } from '../environment.ts';
import { OptionError, RefusedError } from '../errors.ts';
import { shown } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions, Deadline } from '../transport/transport.ts';
import { KnownEntries, loadingOnce, PAGE_SIZE, SETTLED_MS, type SharedByViews } from '../waiting/known-entries.ts';
import type { AnySummary } from './any-kind.ts';

// The messages that came to a handle: which belong to it, and how it hears of them.

/** The parts that a mailbox handle is made of. */
export interface MailboxParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly arrivals: Arrivals;
  readonly recipients: Recipients;
  /** `true` if this handle created the mailbox for itself. */
  readonly isOwn: boolean;
  /** `true` if the mailbox claims phone numbers, so that `arrivals` has text messages too. */
  readonly hasPhones: boolean;
}

/** Tells which messages of a mailbox belong to a handle. */
export interface Recipients {
  readonly address: string;
  /** The claimed addresses of any domain, `*@domain` included. */
  readonly claimed: readonly string[];
  /** The claimed phone numbers. */
  readonly phones: readonly string[];
  addressFor(localPart: string): string;
  /**
   * A part that only this handle's addresses contain, so that the server can search for it. It is null if the handle
   * owns all mail of the mailbox.
   */
  readonly part: string | null;
  isFor(arrival: Arrival, options: CallOptions): Promise<boolean>;
}

/** The local part of a handle's first address. */
const LOCAL_PART = 'user';

/** Creates recipients that accept all mail of a mailbox. */
export function everyRecipient(subdomain: string, mailDomain: string, all: readonly string[]): Recipients {
  const addressFor = (localPart: string) => `${checked(localPart)}@${subdomain}.${mailDomain}`;
  const claimed = all.filter((claim) => claim.includes('@'));
  const phones = all.filter((claim) => !claim.includes('@'));
  return { address: addressFor(LOCAL_PART), claimed, phones, addressFor, part: null, isFor: async () => true };
}

/**
 * Creates recipients that accept addresses of a shared mailbox with a suffix of the handle's own. The suffix is no
 * plus-tag (RFC 5233), because some apps refuse a plus-tag or remove it.
 */
export function namedRecipients(name: string, subdomain: string, mailDomain: string): Recipients {
  const domain = `${subdomain}.${mailDomain}`;
  const part = `.${name}`;
  const addressFor = (localPart: string) => `${checked(localPart) + part}@${domain}`;
  // The address may also carry a plus-tag (RFC 5233), which a reply may have added.
  const mine = new RegExp(`\\.${name}(\\+[^@\\s]{0,255})?@${domain.replaceAll('.', '\\.')}`, 'i');
  const isIn = (text: string | null | undefined) => mine.test(text ?? '');
  return {
    address: addressFor(LOCAL_PART),
    claimed: [],
    phones: [],
    addressFor,
    part,
    isFor: async (arrival, options) => {
      if (arrival.sentTo.has(part) || isIn(arrival.summary.to)) return true;
      // A summary has only the To header.
      const detail = await arrival.detail(options);
      return isIn(detail?.cc) || isIn(detail?.bcc);
    },
  };
}

function checked(localPart: string): string {
  // RFC 5321 section 4.1.2 requires other local parts to be quoted.
  if (typeof localPart === 'string' && /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(localPart))
    return localPart;
  throw new OptionError(`${shown(localPart)} is not a valid local part, the part before the @ of an address.`);
}

/**
 * The messages that the handles of a client have sent. A mailbox keeps a copy of each under an id of its own. The waits
 * ignore these copies.
 */
export class SentCopies {
  static readonly #byApi = new WeakMap<Api, SentCopies>();
  readonly #ids = new Set<string>();
  readonly #underWay = new Set<Promise<unknown>>();

  static of(api: Api): SentCopies {
    const known = SentCopies.#byApi.get(api) ?? new SentCopies();
    SentCopies.#byApi.set(api, known);
    return known;
  }

  /** Remembers the id of the copy that a send reports. */
  async remember<T extends { readonly messageId: string }>(send: Promise<T>): Promise<T> {
    const remembered = send.then((sent) => {
      this.#ids.add(sent.messageId);
      return sent;
    });
    const ended = remembered.catch(() => {}).finally(() => this.#underWay.delete(ended));
    this.#underWay.add(ended);
    return remembered;
  }

  /**
   * Tells whether a message is a copy. It waits for the sends under way, because a copy may be visible before its send
   * is answered.
   */
  async has(id: string): Promise<boolean> {
    await Promise.all(this.#underWay);
    return this.#ids.has(id);
  }
}

/** The kinds of messages. */
export type MessageKind = 'email' | 'sms';

/** A message that came after the start of the handle. */
export interface Arrival {
  readonly id: string;
  /** A summary of the cloud API has no kind: it is an email. */
  readonly summary: AnySummary;
  readonly receivedAt: number;
  /** The reading of the monotonic clock at which the client first saw it, in milliseconds. */
  readonly firstSeenAt: number;
  /**
   * The `to` filters that the server matched with this message, in lower case. The server also sees the envelope, the
   * client does not.
   */
  readonly sentTo: Set<string>;
  /** Fetches the whole message; null if it was deleted meanwhile. */
  detail(options: CallOptions): Promise<MessageDetailResponse | null>;
}

/** The start of a handle, by the server's clock. Only messages newer than `id` belong to it; all do if `id` is null. */
export interface Start {
  readonly id: string | null;
  readonly receivedAt: number;
}

/** The filters that the server itself can apply. */
export interface ServerFilter {
  readonly subject?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** The calls by which a handle reads a mailbox. */
export type ArrivalsApi = Pick<NotedApi, 'listMessages' | 'awaitMessage' | 'getMessage'>;

/** The times at which to look for late messages after an await began, in milliseconds. */
const LOOKS_MS = [50, 600];
/** The pause between two looks after the client has set a clock, in milliseconds. */
const LOOK_AGAIN_MS = 1_000;
/** The shortest time an await without a result takes. It stops a busy loop if a proxy answers at once. */
const SHORTEST_AWAIT_MS = 250;

/** The messages of a mailbox since a start. The await endpoint pushes them; the list is never polled. */
export class Arrivals extends KnownEntries<AnySummary, Arrival, Arrivals> {
  readonly mailboxId: string;
  /** The start of the handle. */
  readonly start: Start;
  readonly #api: ArrivalsApi;
  readonly #detail = loadingOnce(({ id }: Arrival, options) => this.#fetch(id, options));
  #startedAt: number;
  /** The id of the newest message at the last `clear()` on a server that can't delete. */
  #clearedUntil: string | null = null;
  /** The `since` of the next await: only messages received at this time or later may be new. */
  #since: number;

  constructor(api: ArrivalsApi, mailboxId: string, start: Start, view?: SharedByViews & { readonly from: number }) {
    super(start.id, view);
    this.#api = api;
    this.start = start;
    this.mailboxId = mailboxId;
    this.#startedAt = start.receivedAt;
    this.#since = start.receivedAt;
  }

  /** The start time, in milliseconds since 1970, by the server's clock. */
  get startedAt(): number {
    return this.#startedAt;
  }

  protected override viewSince(time: number): Arrivals {
    const { returned, passedOver } = this;
    const start = { id: this.#clearedUntil, receivedAt: time };
    return new Arrivals(this.#api, this.mailboxId, start, { returned, passedOver, from: time });
  }

  protected override page(_number: number, before: string | undefined, options: CallOptions) {
    return this.#api.listMessages(this.mailboxId, { limit: PAGE_SIZE, before }, options);
  }

  protected override entryOf(summary: AnySummary): Arrival {
    const { id } = summary;
    const receivedAt = Date.parse(summary.receivedAt);
    this.#since = Math.max(this.#since, receivedAt + 1);
    const arrival: Arrival = {
      id,
      summary,
      receivedAt,
      firstSeenAt: steady(),
      sentTo: new Set(),
      detail: (options) => this.#detail(arrival, options),
    };
    return arrival;
  }

  /** Ignores all messages until now, on a server that can't delete. */
  async moveOn(options: CallOptions): Promise<void> {
    const [newest] = await this.#api.listMessages(this.mailboxId, { limit: 1 }, options);
    this.forget();
    if (newest === undefined) return;
    this.#clearedUntil = newest.id;
    this.moveTo(newest.id);
    this.#startedAt = Date.parse(newest.receivedAt);
  }

  /**
   * Resolves when there may be a new message that matches, or when the deadline is over. The filter is what the server
   * can tell. `note` is for its waiting tests.
   */
  async nextMatching(deadline: Deadline, filter: ServerFilter, note: string | null = null): Promise<void> {
    const armed = new AbortController();
    const disarm = () => armed.abort(deadline.signal.reason);
    deadline.signal.addEventListener('abort', disarm, { once: true });
    try {
      deadline.signal.throwIfAborted();
      await Promise.race([this.#pushed(deadline, filter, note, armed.signal), this.#lateOnes(armed.signal)]);
    } finally {
      deadline.signal.removeEventListener('abort', disarm);
      armed.abort();
    }
  }

  async #pushed(deadline: Deadline, filter: ServerFilter, note: string | null, signal: AbortSignal): Promise<void> {
    const timeout = deadline.awaitSeconds;
    const since = new Date(this.#since);
    const armedAt = steady();
    const summary = await this.#api.awaitMessage(this.mailboxId, { ...filter, since, timeout }, { signal }, note);
    if (summary !== null) {
      const arrival = this.learn(summary);
      if (filter.to) arrival.sentTo.add(filter.to.toLowerCase());
      return;
    }
    const early = SHORTEST_AWAIT_MS - (steady() - armedAt);
    if (early > 0) await sleep(early, signal);
  }

  /**
   * Resolves when a late message is found. A message of the same millisecond as the last one escapes the await's
   * `since`.
   */
  async #lateOnes(signal: AbortSignal): Promise<void> {
    const armedAt = steady();
    const isSettled = this.entries().every(({ firstSeenAt }) => armedAt - firstSeenAt > SETTLED_MS);
    for (const look of this.#looks(isSettled)) {
      await sleep(Math.max(0, look - (steady() - armedAt)), signal);
      const before = this.entries().length;
      await this.refresh({ signal });
      if (this.entries().length > before) return;
    }
    await new Promise<never>(() => {});
  }

  /**
   * Yields the times at which to look for messages that the await does not report. The await goes by times of receipt,
   * and after a clock was set back, a new message may have an earlier one. So the list is then read regularly.
   */
  *#looks(isSettled: boolean): Generator<number, void, void> {
    if (!isSettled || hasSetClock(this.#api)) yield* LOOKS_MS;
    for (let look = LOOK_AGAIN_MS; hasSetClock(this.#api); look += LOOK_AGAIN_MS) yield look;
  }

  async #fetch(id: string, options: CallOptions): Promise<MessageDetailResponse | null> {
    try {
      return await this.#api.getMessage(this.mailboxId, id, options);
    } catch (error) {
      if (error instanceof RefusedError && error.status === 404) return null;
      throw error;
    }
  }
}
