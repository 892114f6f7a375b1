import type { CheckedLink } from '../checks/check-mail.ts';
import type { Finding } from '../checks/finding.ts';
import { type Reported, Reporter } from '../checks/reporter.ts';
import type { Context } from '../context.ts';
import type { Ending } from '../ports/ending.ts';
import { isUrl } from '../text/is-url.ts';
import { shorten } from '../text/shorten.ts';

/** The maximum number of links of a mail that are requested. */
const MAX_ASKED = 50;
/** The number of concurrent requests. */
const AT_A_TIME = 8;
/**
 * Statuses that do not show whether the page exists: the server wants a sign-in, another method, or no automatic
 * requests.
 */
const TELL_NOTHING = new Set([401, 403, 405, 407, 408, 425, 429, 501, 503]);

export interface Reached {
  readonly findings: readonly Finding[];
  /** Sentences that name the links that were not requested. */
  readonly notAsked: readonly string[];
}

/**
 * Requests the targets of links with HEAD, through the guarded fetcher. It follows no redirects. It leaves out links
 * that trigger an action, such as a confirmation, because a request could use them up.
 */
export async function reachLinks(ctx: Context, links: readonly CheckedLink[], ending: Ending): Promise<Reached> {
  const targets = new Map<string, URL>();
  for (const { url, acts } of links) if (!acts && isUrl(url)) targets.set(bare(new URL(url)), new URL(url));
  const asked = [...targets].slice(0, MAX_ASKED);
  const cut = new AbortController();
  const calledOff = ending.onEnd(() => cut.abort());
  try {
    const answers = new Array<string | null>(asked.length).fill(null);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < asked.length && !cut.signal.aborted; at = next++) {
        const target = asked[at]?.[1];
        if (target !== undefined) answers[at] = await ask(ctx, target, cut.signal);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    const reporter = new Reporter();
    for (const [at, [url]] of asked.entries()) {
      const what = answers[at] ?? null;
      if (what !== null) reporter.add(unreachable(url, what));
    }
    return { findings: reporter.findings(), notAsked: notAsked(links, targets.size) };
  } finally {
    calledOff();
  }
}

/** Returns the URL without its fragment, which clients never send. */
function bare({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, -hash.length);
}

/** Returns the problem with the answer, as the end of a sentence. Null if there is none. */
async function ask(ctx: Context, target: URL, signal: AbortSignal): Promise<string | null> {
  const outcome = await ctx.fetcher.send({
    target: { origin: target.origin, path: target.pathname + target.search },
    method: 'HEAD',
    headers: [['User-Agent', 'mailcap']],
    body: null,
    signal,
  });
  if (outcome.kind !== 'answered') return `does not answer: ${outcome.error}`;
  const { status } = outcome;
  return status < 400 || TELL_NOTHING.has(status) ? null : `answers ${status}`;
}

function unreachable(url: string, what: string): Reported {
  return {
    rule: 'link-unreachable',
    severity: 'error',
    detail: url.slice(0, 500),
    message: `${shorten(url, 120)} ${what}.`,
  };
}

function notAsked(links: readonly CheckedLink[], targets: number): string[] {
  const acting = links.filter(({ acts }) => acts).length;
  const over = targets - MAX_ASKED;
  return [
    ...(acting === 0 ? [] : [`Links that do something were not followed: ${acting}.`]),
    ...(over <= 0 ? [] : [`Only ${MAX_ASKED} links were followed, and ${over} not.`]),
  ];
}
