import { OptionError } from '../errors.ts';
import { shown } from '../options/shown.ts';
import type { CallOptions } from '../transport/deadline.ts';
import type { Arrival } from './arrivals.ts';

/** Tells which mail of a mailbox is a handle's. */
export interface Recipients {
  readonly address: string;
  /** Further addresses and `*@domain`, of any domain, that it claims. */
  readonly claimed: readonly string[];
  addressFor(localPart: string): string;
  /** What every address of the handle holds and no other has, for the server to look for; null where all mail is its. */
  readonly part: string | null;
  isFor(arrival: Arrival, options: CallOptions): Promise<boolean>;
}

/** The local part of a handle's own address. */
const LOCAL_PART = 'user';

/** Everything that comes to a mailbox. */
export function everyRecipient(subdomain: string, mailDomain: string, claimed: readonly string[]): Recipients {
  const addressFor = (localPart: string) => `${checked(localPart)}@${subdomain}.${mailDomain}`;
  return { address: addressFor(LOCAL_PART), claimed, addressFor, part: null, isFor: async () => true };
}

/** Addresses of a shared mailbox that end in a name of the handle's own. No plus-tag: apps are known to refuse and to cut those. */
export function namedRecipients(name: string, subdomain: string, mailDomain: string): Recipients {
  const domain = `${subdomain}.${mailDomain}`;
  const part = `.${name}`;
  const addressFor = (localPart: string) => `${checked(localPart) + part}@${domain}`;
  // With a tag too, which mail that is answered may have got (RFC 5233).
  const mine = new RegExp(`\\.${name}(\\+[^@\\s]*)?@${domain.replaceAll('.', '\\.')}`, 'i');
  const isIn = (text: string | null | undefined) => mine.test(text ?? '');
  return {
    address: addressFor(LOCAL_PART),
    claimed: [],
    addressFor,
    part,
    isFor: async (arrival, options) => {
      if (arrival.sentTo.has(part) || isIn(arrival.summary.to)) return true;
      // A summary tells of To alone.
      const detail = await arrival.detail(options);
      return isIn(detail?.cc) || isIn(detail?.bcc);
    },
  };
}

function checked(localPart: string): string {
  // RFC 5321 4.1.2 would have others quoted.
  if (typeof localPart === 'string' && /^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(localPart))
    return localPart;
  throw new OptionError(`${shown(localPart)} can't stand before the @ of an address.`);
}
