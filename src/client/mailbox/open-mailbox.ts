import type { Api } from '../connection/api.ts';
import type { MailboxResponse } from '../connection/resources.ts';
import { randomName } from '../environment.ts';
import { MailcapError, RefusedError } from '../errors.ts';
import { CALL, checkOptions, filledText, flag, listOfTexts, oneOf, text } from '../options/check-options.ts';
import type { Settings } from '../options/options.ts';
import type { CallOptions } from '../transport/deadline.ts';
import { Arrivals, type Start } from './arrivals.ts';
import { checkClaim, claim } from './claim.ts';
import { createMailboxHandle, type Mailbox } from './mailbox.ts';
import { everyRecipient, namedRecipients } from './recipients.ts';

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
   * Waits while another mailbox claims one of the addresses, until `timeout` has passed. Those that wait get the address
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
  const { isolation, name = 'test', mailbox: wanted, addresses = [], wait = false, signal } = options;
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
  const arrivals = new Arrivals(api, mailbox.id, start);
  return createMailboxHandle({ api, settings, arrivals, recipients, isOwn });
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
  const [newest] = await api.listMessages(mailbox.id, { limit: 1 }, options);
  if (newest === undefined) return beginningOf(mailbox);
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
    const info = await api.local.info(options);
    toldDomains.set(api, info.mailDomain);
    return info.mailDomain;
  }
  throw new MailcapError('unknown_mail_domain', 'The domain of the mailbox addresses is unknown.', {
    hint: 'Set MAILCAP_MAIL_DOMAIN, or give createClient a mailDomain.',
  });
}
