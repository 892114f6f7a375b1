import type { CheckedLink, CheckResult } from '../checks/check-mail.ts';
import type { ClientId } from '../checks/clients/named.ts';
import { type Finding, type ReportedFinding, Reporter, sorted } from '../checks/finding.ts';
import { type SpamScore, spamFinding, spamUnscored } from '../checks/rules/spam.ts';
import { MOST_TARGETS, type TargetUse } from '../checks/targets.ts';
import { type CheckVerdict, type RuleName, verdictOf } from '../checks/verdict.ts';
import type { Context } from '../context.ts';
import { parseEnvelopeAddress } from '../domain/address.ts';
import type { ForwardOutcome } from '../domain/captured-request.ts';
import { refuse } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';
import type { LinkKind } from '../extract/link-kinds.ts';
import type { SpamFilter } from '../ports/mail.ts';
import type { CancelSignal } from '../ports/waiting.ts';
import { shorten } from '../text/shorten.ts';
import { isUrl } from '../text/url.ts';
import { readFacts, whileThere } from './read-message.ts';
import { during } from './time.ts';

interface CheckRequest {
  readonly clients: readonly ClientId[];
  readonly allow: readonly RuleName[];
  readonly deny: readonly RuleName[];
  /** Tells whether to request the targets of links. Without it, the check makes no requests to link targets. */
  readonly reach: boolean;
}

export interface CheckReport extends CheckVerdict {
  readonly checked: CheckResult;
  /** The reason why the mail could not be checked, in which case it does not pass. Null if it was checked. */
  readonly checkError: string | null;
  /** The spam score. Null without a spam filter, and if the filter gave no score. */
  readonly spam: SpamScore | null;
}

const NOTHING: CheckResult = {
  findings: [],
  leftOut: 0,
  unsubscribe: { url: null, mailto: null, isOneClick: false, findings: [] },
  links: [],
  targets: [],
  elements: 0,
  notChecked: [],
};

/** Checks a message (docs/checks.md). Throws `not_found` if it was deleted. */
export async function checkMessage(
  ctx: Context,
  message: Message,
  { clients, allow, deny, reach }: CheckRequest,
  cancelSignal: CancelSignal,
): Promise<CheckReport> {
  const verification = { zone: ctx.config.spf?.zone ?? null, spfDomain: await spfDomainOf(ctx, message) };
  const read = () => ctx.store.blobs.read(message.raw);
  const options = { clients, reach, ...verification };
  const outcome = await whileThere(ctx, message, () => ctx.parser.check(message.sizeBytes, read, options));
  if (typeof outcome === 'string') {
    return {
      ...verdictOf(NOTHING, { allow, deny }),
      checked: NOTHING,
      passed: false,
      checkError: outcome,
      spam: null,
    };
  }
  const asked = await Promise.all([
    reach ? reachLinks(ctx, outcome.links, cancelSignal) : null,
    whileThere(ctx, message, () => scoreSpam(ctx.spamFilter, message.sizeBytes, read, cancelSignal)),
  ]);
  const further = asked.filter((one) => one !== null);
  const checked = {
    ...outcome,
    findings: sorted([...outcome.findings, ...further.flatMap(({ findings }) => findings)]),
    notChecked: [...outcome.notChecked, ...further.flatMap(({ notAsked }) => notAsked)],
  };
  return { ...verdictOf(checked, { allow, deny }), checked, checkError: null, spam: asked[1]?.score ?? null };
}

/** Gets the score of the spam filter. If the filter gives none, the result has the reason. */
async function scoreSpam(
  filter: SpamFilter | null,
  sizeBytes: number,
  read: () => Promise<Buffer>,
  cancelSignal: CancelSignal,
) {
  if (filter === null) return null;
  const outcome = await filter.score(sizeBytes, read, cancelSignal);
  const isScored = typeof outcome !== 'string';
  const reported = isScored ? spamFinding(outcome) : spamUnscored(outcome);
  const reporter = new Reporter();
  if (reported !== null) reporter.add(reported);
  const notAsked = isScored ? [] : [`There is no spam score: ${outcome}.`];
  return { findings: reporter.findings(), notAsked, score: isScored ? outcome : null };
}

/** Returns the domain whose SPF policy in the zone the mail passed; null without a zone. */
async function spfDomainOf(ctx: Context, message: Message): Promise<string | null> {
  if (ctx.config.spf === null) return null;
  const facts = await readFacts(ctx, message);
  if ((await ctx.spf.evaluate(message.id, facts)) !== 'pass') return null;
  const { envelope, helo } = facts;
  return parseEnvelopeAddress(envelope.mailFrom)?.domain ?? helo;
}

/** The maximum number of links of a mail that are requested. */
const MAX_ASKED = 50;
/** The number of concurrent requests. */
const AT_A_TIME = 8;
/**
 * Statuses that do not show whether the page exists: the server wants a sign-in, another method, or no automatic
 * requests.
 */
const TELL_NOTHING = new Set([401, 403, 405, 407, 408, 425, 429, 501, 503]);

export interface ReachedLinks {
  readonly findings: readonly Finding[];
  /** Sentences that name the links that were not requested. */
  readonly notAsked: readonly string[];
}

/**
 * Requests the targets of links with HEAD, through the guarded fetcher. It follows no redirects. It leaves out links
 * that trigger an action, such as a confirmation, because a request could use them up.
 */
async function reachLinks(
  ctx: Context,
  links: readonly CheckedLink[],
  cancelSignal: CancelSignal,
): Promise<ReachedLinks> {
  const targets = new Map<string, URL>();
  for (const { url, acts } of links) if (!acts && isWeb(url)) targets.set(bare(new URL(url)), new URL(url));
  const asked = [...targets].slice(0, MAX_ASKED);
  const reporter = new Reporter();
  const answers = await askAll(
    ctx,
    asked.map(([, target]) => target),
    cancelSignal,
  );
  for (const [at, [url]] of asked.entries()) {
    const what = problemWith(answers[at]?.outcome ?? null);
    if (what !== null) reporter.add(unreachable(url, what));
  }
  return { findings: reporter.findings(), notAsked: notAsked(links, targets.size) };
}

/** The answer for an address, and the addresses to which redirects led before it. */
interface Reached {
  readonly outcome: ForwardOutcome;
  readonly via: readonly string[];
}

/** Requests addresses with HEAD, some at a time. The answer for one is null if the request was cancelled before it. */
async function askAll(
  ctx: Context,
  targets: readonly URL[],
  cancelSignal: CancelSignal,
  redirects = 0,
): Promise<(Reached | null)[]> {
  return during(cancelSignal, async (signal) => {
    const outcomes = new Array<Reached | null>(targets.length).fill(null);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < targets.length && !signal.aborted; at = next++) {
        const target = targets[at];
        if (target !== undefined) outcomes[at] = await ask(ctx, target, signal, redirects);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return outcomes;
  });
}

/** The redirects that are followed from one address, if any are. */
export const MOST_REDIRECTS = 3;

/** An address that a mail names. */
export interface MailAddress {
  readonly url: string;
  /** How the mail uses it. A link opens a mail program, a phone or an app if it is no web address. */
  readonly use: TargetUse;
  /** The text of a link in the mail; null for what a mail program loads. */
  readonly text: string | null;
  readonly kind: LinkKind | null;
  /** Tells whether following it has an effect: it signs in, verifies or unsubscribes. */
  readonly acts: boolean;
  /** Tells whether the server can request it. */
  readonly isWeb: boolean;
}

/**
 * Lists the addresses of a message, without a request. Throws `not_found` if the message was deleted. A string is the
 * reason why the mail could not be read.
 */
export async function listAddresses(ctx: Context, message: Message): Promise<readonly MailAddress[] | string> {
  const options = { clients: [], reach: true, zone: ctx.config.spf?.zone ?? null, spfDomain: null };
  const read = () => ctx.store.blobs.read(message.raw);
  const outcome = await whileThere(ctx, message, () => ctx.parser.check(message.sizeBytes, read, options));
  if (typeof outcome === 'string') return outcome;
  const { targets, links } = outcome;
  const known = new Map(links.map((link) => [hrefOf(link.url), link]));
  const named = targets.map(({ url, use }): MailAddress => {
    const link = use === 'link' || use === 'text' ? known.get(hrefOf(url)) : undefined;
    const { text = null, kind = null, acts = false } = link ?? {};
    return { url, use, text, kind, acts, isWeb: isUrl(url) };
  });
  const others = links.filter(({ url }) => !isWeb(url)).slice(0, Math.max(0, MOST_TARGETS - named.length));
  return [
    ...named,
    ...others.map(({ url, text, kind, acts }): MailAddress => ({ url, use: 'link', text, kind, acts, isWeb: false })),
  ];
}

function hrefOf(url: string): string {
  return isUrl(url) ? new URL(url).href : url;
}

function isWeb(url: string): boolean {
  return /^https?:/i.test(url) && isUrl(url);
}

/** Which addresses of a message are requested, and how. */
interface ReachRequest {
  /** The addresses to request. Null for all that do nothing, `everything` for really all. */
  readonly urls: ReadonlySet<string> | null | 'everything';
  /** The number of redirects to follow from each. */
  readonly redirects: number;
  readonly cancelSignal: CancelSignal;
}

/** An address of a mail with the answer to a HEAD. The outcome is null if it was not requested. */
export interface ReachedAddress {
  readonly url: string;
  readonly outcome: ForwardOutcome | null;
  /** The addresses to which redirects led, in their order. */
  readonly via: readonly string[];
}

/**
 * Requests web addresses of a message with HEAD, eight at a time, at most a hundred. Throws `not_found` if the message
 * was deleted, and `invalid_body` for an address that the mail does not name, before any request. A string is the reason
 * why the mail could not be read.
 */
export async function reachTargets(
  ctx: Context,
  message: Message,
  { urls, redirects, cancelSignal }: ReachRequest,
): Promise<readonly ReachedAddress[] | string> {
  const listed = await listAddresses(ctx, message);
  if (typeof listed === 'string') return listed;
  const named = listed.filter(({ url }) => /^https?:/i.test(url));
  const isWanted = ({ url, acts }: MailAddress) => urls === 'everything' || (urls === null ? !acts : urls.has(url));
  const wanted = named.filter(isWanted);
  if (urls instanceof Set && wanted.length < urls.size)
    throw refuse('invalid_body', { message: 'urls has an address that is no web address of the mail' });
  const good = wanted.filter((address) => address.isWeb);
  const targets = good.map(({ url }) => new URL(url));
  const answers = await askAll(ctx, targets, cancelSignal, redirects);
  const byUrl = new Map(good.map(({ url }, at) => [url, answers[at]]));
  return wanted.map(({ url }) => {
    const { outcome = null, via = [] } = byUrl.get(url) ?? {};
    return { url, outcome, via };
  });
}

/** Returns the URL without its fragment, which clients never send. */
function bare({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, -hash.length);
}

async function ask(ctx: Context, target: URL, signal: AbortSignal, redirects: number): Promise<Reached> {
  const outcome = await ctx.fetcher.send({
    target: { origin: target.origin, path: target.pathname + target.search },
    method: 'HEAD',
    headers: [['User-Agent', 'mailcap']],
    body: null,
    signal,
  });
  const next = outcome.kind === 'answered' && redirects > 0 ? redirectOf(outcome, target) : null;
  if (next === null) return { outcome, via: [] };
  const further = await ask(ctx, next, signal, redirects - 1);
  return { ...further, via: [next.href, ...further.via] };
}

/** Returns the web address to which an answer redirects. Null if it does not. */
function redirectOf({ status, headers }: Extract<ForwardOutcome, { kind: 'answered' }>, from: URL): URL | null {
  const location = headers?.['location'];
  if (status < 300 || status > 399 || location === undefined || !isUrl(location, from.href)) return null;
  const to = new URL(location, from);
  return /^https?:$/.test(to.protocol) ? to : null;
}

/** Returns the problem with the answer, as the end of a sentence. Null if there is none. */
function problemWith(outcome: ForwardOutcome | null): string | null {
  if (outcome === null) return null;
  if (outcome.kind !== 'answered') return `does not answer: ${outcome.error}`;
  const { status } = outcome;
  return status < 400 || TELL_NOTHING.has(status) ? null : `answers ${status}`;
}

function unreachable(url: string, what: string): ReportedFinding {
  return {
    rule: 'link-unreachable',
    detail: url.slice(0, 500),
    message: `${shorten(url, 120)} ${what}.`,
  };
}

function notAsked(links: readonly CheckedLink[], targets: number): string[] {
  const acting = links.filter(({ acts, url }) => acts && isWeb(url)).length;
  const over = targets - MAX_ASKED;
  return [
    ...(acting === 0 ? [] : [`Links that do something were not followed: ${acting}.`]),
    ...(over <= 0 ? [] : [`Only ${MAX_ASKED} links were followed, and ${over} not.`]),
  ];
}
