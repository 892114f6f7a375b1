import { headerBlock, readFields } from './header-block.ts';

/** The results of DKIM (RFC 6376) and DMARC (RFC 9989) for a mail. */
export interface Authentication {
  /** One for each DKIM-Signature, in their order. */
  readonly signatures: readonly DkimSignature[];
  /** The DMARC result; null without a zone, or if the zone has no policy for the domain. */
  readonly dmarc: { readonly result: 'pass' | 'fail'; readonly domain: string; readonly policy: string } | null;
  /** The reason why something was not verified, as a sentence. Null if all was. */
  readonly unchecked: string | null;
}

export interface DkimSignature {
  /** The domain that signed, and its selector. */
  readonly domain: string;
  readonly selector: string;
  /** The lower-case names of the signed headers. */
  readonly headers: readonly string[];
  /** `unknown` if the key is not available here. The hash of the body is correct then. */
  readonly result: 'pass' | 'fail' | 'unknown';
  /** The reason for a failure. */
  readonly reason: string | null;
}

/** The records and results that a mail is verified against. */
export interface Verification {
  /** The TXT records by lower-case name; null without a zone. No name server is queried. */
  readonly zone: Readonly<Record<string, readonly string[]>> | null;
  /** The domain whose SPF policy the mail passed; null if it did not pass. */
  readonly spfDomain: string | null;
}

/**
 * The largest number of signatures that are verified. A mail with more gets none verified, because each costs a hash of
 * the body.
 */
const MAX_SIGNATURES = 10;
const NOTHING: Authentication = { signatures: [], dmarc: null, unchecked: null };
const NO_ZONE = 'The keys of DKIM signatures are not verified, because no zone is configured.';

/** The result of one signature, as mailauth returns it. */
interface Told {
  readonly signingDomain?: string;
  readonly selector?: string;
  readonly signature?: string;
  readonly status: { readonly result: string; readonly comment?: string | false };
}

/**
 * Verifies the DKIM signatures of a mail, and its DMARC policy over the zone. It queries no name server. Without a zone
 * it verifies only the hash of the body.
 */
export async function authenticateMail(raw: Buffer, { zone, spfDomain }: Verification): Promise<Authentication> {
  const written = signaturesOf(raw);
  if (written.length === 0 && zone === null) return NOTHING;
  if (written.length > MAX_SIGNATURES)
    return { ...NOTHING, unchecked: `The mail has ${written.length} DKIM signatures, and none was verified.` };
  const resolver = async (name: string, type: string) => {
    const records =
      type === 'TXT' && zone !== null && Object.hasOwn(zone, name.toLowerCase()) ? zone[name.toLowerCase()] : null;
    if (records == null) throw Object.assign(new Error(`no record of ${name}`), { code: 'ENOTFOUND' });
    return records.map((record) => [record]);
  };
  const { dkimVerify } = await import('mailauth/lib/dkim/verify.js');
  const { results, headerFrom } = await dkimVerify(raw, { resolver });
  // The cast is safe: mailauth's own types describe less than it returns.
  const told = (results as readonly (Told & { readonly type?: string })[]).slice();
  const signatures = written.map((tags): DkimSignature => {
    const at = told.findIndex(({ signature }) => signature === tags.signature);
    const [found] = at < 0 ? [] : told.splice(at, 1);
    const { domain, selector, headers } = tags;
    const [key = null] = zone?.[`${selector}._domainkey.${domain}`.toLowerCase()] ?? [];
    const flaw = flawOf(tags) ?? (key === null ? null : limitOf(key, tags));
    const outcome = flaw === null ? outcomeOf(found, zone !== null) : { result: 'fail' as const, reason: flaw };
    return { domain, selector, headers, ...outcome };
  });
  const passed = signatures.filter(({ result }) => result === 'pass').map(({ domain }) => domain);
  const dmarc = zone === null ? null : await dmarcOf(headerFrom, passed, spfDomain, resolver);
  return { signatures, dmarc, unchecked: zone === null && written.length > 0 ? NO_ZONE : null };
}

function outcomeOf(found: Told | undefined, hasZone: boolean): Pick<DkimSignature, 'result' | 'reason'> {
  if (found === undefined) return { result: 'fail', reason: 'it cannot be read' };
  const { result, comment } = found.status;
  if (result === 'pass') return { result: 'pass', reason: null };
  if (comment === 'no key') {
    return hasZone ? { result: 'fail', reason: 'the zone has no key for it' } : { result: 'unknown', reason: null };
  }
  if (result === 'policy') return { result: 'fail', reason: 'its key is too short' };
  if (comment === 'body hash did not verify')
    return { result: 'fail', reason: 'the body was changed after it was signed' };
  return { result: 'fail', reason: comment || 'the signature is wrong' };
}

type Resolver = (name: string, type: string) => Promise<string[][]>;

async function dmarcOf(
  headerFrom: readonly string[],
  dkimDomains: readonly string[],
  spfDomain: string | null,
  resolver: Resolver,
): Promise<Authentication['dmarc']> {
  const [from] = headerFrom;
  if (from === undefined || headerFrom.length !== 1) return null;
  const { dmarc } = await import('mailauth/lib/dmarc/index.js');
  const found = await dmarc({
    headerFrom: from,
    spfDomains: spfDomain === null ? [] : [spfDomain],
    dkimDomains: dkimDomains.map((domain) => ({ domain })),
    resolver,
  });
  if (found === false || (found.status.result !== 'pass' && found.status.result !== 'fail')) return null;
  return { result: found.status.result, domain: found.domain, policy: found.policy ?? 'none' };
}

/** Returns why a signature is malformed (RFC 6376 6.1.1), or null. */
function flawOf({ all, twice, headers }: Tags): string | null {
  if (twice !== null) return `the tag ${twice}= is in it twice`;
  const missing = ['v', 'a', 'b', 'bh', 'd', 'h', 's'].filter((name) => !all.get(name)).map((name) => `${name}=`);
  if (missing.length > 0) return `it lacks the tag${missing.length > 1 ? 's' : ''} ${missing.join(', ')}`;
  const [version = '', algorithm = '', forms = 'simple'] = ['v', 'a', 'c'].map((name) => all.get(name));
  if (version !== '1') return `its version is ${quoted(version)}, and not 1`;
  if (!/^(?:rsa-sha1|rsa-sha256|ed25519-sha256)$/i.test(algorithm))
    return `its algorithm ${quoted(algorithm)} is unknown`;
  if (!/^(?:simple|relaxed)(?:\/(?:simple|relaxed))?$/i.test(forms))
    return `its canonicalization ${quoted(forms)} is unknown`;
  if (!headers.includes('from')) return 'it does not sign From';
  return null;
}

/** Returns the limit of a key record that forbids a signature (RFC 6376 3.6.1), or null. */
function limitOf(record: string, { all, domain }: Tags): string | null {
  const key = tagList(record).all;
  const list = (name: string) => key.get(name)?.toLowerCase().split(':') ?? null;
  const hash = all.get('a')?.toLowerCase().split('-').at(-1) ?? '';
  const [hashes, services, flags] = [list('h'), list('s'), list('t')];
  if (hashes !== null && !hashes.includes(hash))
    return `its key is only for h=${quoted(hashes.join(':'))}, and it is made with ${quoted(hash)}`;
  if (services !== null && !services.includes('*') && !services.includes('email'))
    return `its key is not for mail, but for s=${quoted(services.join(':'))}`;
  const identity = all.get('i')?.toLowerCase().split('@').at(-1) ?? domain;
  if (flags?.includes('s') === true && identity !== domain)
    return `its key is for no subdomain (t=s), and it is for ${quoted(identity)}`;
  return null;
}

/** Shortens a value of a mail or a record, so that it can stand in a sentence. */
function quoted(value: string): string {
  return value.slice(0, 60);
}

interface Tags extends Pick<DkimSignature, 'domain' | 'selector' | 'headers'> {
  /** The values of all tags by lower-case name. */
  readonly all: ReadonlyMap<string, string>;
  /** The first tag that repeats, which makes the list invalid (RFC 6376 3.2). */
  readonly twice: string | null;
  readonly signature: string;
}

function signaturesOf(raw: Buffer): Tags[] {
  const { fields } = readFields(headerBlock(raw).block, new Set(Buffer.from('Dd')));
  return fields.filter(({ name }) => name === 'dkim-signature').map(({ value }) => tagsOf(value.toString('latin1')));
}

function tagsOf(value: string): Tags {
  const { all, twice } = tagList(value);
  return {
    all,
    twice,
    domain: (all.get('d') ?? '').slice(0, 253).toLowerCase(),
    selector: (all.get('s') ?? '').slice(0, 253),
    headers: (all.get('h') ?? '')
      .toLowerCase()
      .split(':')
      .filter((name) => name !== ''),
    signature: all.get('b') ?? '',
  };
}

/** Reads a list of tags (RFC 6376 3.2), as a signature and a key record have. White space within values has no meaning. */
function tagList(text: string): Pick<Tags, 'all' | 'twice'> {
  const all = new Map<string, string>();
  let twice: string | null = null;
  for (const pair of text.slice(0, 16_384).split(';')) {
    const equals = pair.indexOf('=');
    if (equals <= 0) continue;
    const name = pair.slice(0, equals).trim().toLowerCase();
    if (all.has(name)) twice ??= name.slice(0, 60);
    all.set(name, pair.slice(equals + 1).replace(/\s+/g, ''));
  }
  return { all, twice };
}
