import type { Api } from '../connection/api.ts';
import { OptionError } from '../errors.ts';
import { shown } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import type { Arrival, Arrivals } from './arrivals.ts';

/** The parts that a mailbox handle is made of. */
export interface MailboxParts {
  readonly api: Api;
  readonly settings: Settings;
  readonly arrivals: Arrivals;
  readonly recipients: Recipients;
  /** `true` if this handle created the mailbox for itself. */
  readonly isOwn: boolean;
}

/** Tells which messages of a mailbox belong to a handle. */
export interface Recipients {
  readonly address: string;
  /** The claimed addresses of any domain, `*@domain` included. */
  readonly claimed: readonly string[];
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
export function everyRecipient(subdomain: string, mailDomain: string, claimed: readonly string[]): Recipients {
  const addressFor = (localPart: string) => `${checked(localPart)}@${subdomain}.${mailDomain}`;
  return { address: addressFor(LOCAL_PART), claimed, addressFor, part: null, isFor: async () => true };
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
