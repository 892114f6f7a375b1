import type { Arrival } from './arrivals.ts';
import type { CallOptions } from './deadline.ts';
import { OptionError } from './errors.ts';

/** Which mail of a mailbox is a handle's. */
export interface Recipients {
  readonly address: string;
  addressFor(localPart: string): string;
  /** What every address of the handle holds and no other does, for the server to look for; null where all mail is its. */
  readonly part: string | null;
  isFor(arrival: Arrival, options: CallOptions): Promise<boolean>;
}

/** The local part of a handle's own address. */
const LOCAL_PART = 'user';

/** Everything that comes to a mailbox. */
export function everyRecipient(subdomain: string, mailDomain: string): Recipients {
  const addressFor = (localPart: string) => `${checked(localPart)}@${subdomain}.${mailDomain}`;
  return { address: addressFor(LOCAL_PART), addressFor, part: null, isFor: async () => true };
}

/** Addresses of a shared mailbox that end in a name of the handle's own. No plus-tag: apps are known to refuse and to cut those. */
export function namedRecipients(name: string, subdomain: string, mailDomain: string): Recipients {
  const part = `.${name}@${subdomain}.${mailDomain}`;
  const addressFor = (localPart: string) => checked(localPart) + part;
  return {
    address: addressFor(LOCAL_PART),
    addressFor,
    part,
    isFor: async (arrival, options) => {
      if (arrival.sentTo.has(part) || has(arrival.summary.to, part)) return true;
      // A summary tells of To alone.
      const detail = await arrival.detail(options);
      return has(detail?.cc, part) || has(detail?.bcc, part);
    },
  };
}

function has(text: string | null | undefined, part: string): boolean {
  return text?.toLowerCase().includes(part) ?? false;
}

function checked(localPart: string): string {
  // RFC 5321 4.1.2 would have others quoted.
  if (/^[\w!#$%&'*+/=?^`{|}~-]+(\.[\w!#$%&'*+/=?^`{|}~-]+)*$/.test(localPart)) return localPart;
  throw new OptionError(`"${localPart}" can't stand before the @ of an address.`);
}
