import type { CheckedLink } from '../checks/check-mail.ts';
import type { Finding } from '../checks/finding.ts';
import { RULES } from '../checks/rules.ts';
import type { Context } from '../context.ts';
import type { Ending } from '../ports/ending.ts';

/** The most links of a mail that are asked. */
const MAX_ASKED = 50;
/** The number that are asked at a time. */
const AT_A_TIME = 8;
/** Answers that tell nothing about the page: it wants a sign-in, no robots, or another method. */
const TELL_NOTHING = new Set([401, 403, 405, 407, 408, 425, 429, 501, 503]);

export interface Reached {
  readonly findings: readonly Finding[];
  /** What was not asked, as sentences. */
  readonly notAsked: readonly string[];
}

/**
 * Asks by HEAD whether the targets of links answer, through the guarded fetcher. It follows no redirect, and leaves out
 * links that do something: to follow one could use it up.
 */
export async function reachLinks(ctx: Context, links: readonly CheckedLink[], ending: Ending): Promise<Reached> {
  const targets = new Map<string, URL>();
  for (const { url, acts } of links) if (!acts && URL.canParse(url)) targets.set(bare(new URL(url)), new URL(url));
  const asked = [...targets].slice(0, MAX_ASKED);
  const cut = new AbortController();
  const calledOff = ending.onEnd(() => cut.abort());
  try {
    const found: (Finding | null)[] = new Array<Finding | null>(asked.length).fill(null);
    let next = 0;
    const work = async () => {
      for (let at = next++; at < asked.length && !cut.signal.aborted; at = next++) {
        const [url, target] = asked[at] ?? [];
        if (url !== undefined && target !== undefined) found[at] = await ask(ctx, url, target, cut.signal);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    return { findings: found.filter((finding) => finding !== null), notAsked: notAsked(links, targets.size) };
  } finally {
    calledOff();
  }
}

/** Returns the address without its fragment, which no server sees. */
function bare({ href, hash }: URL): string {
  return hash === '' ? href : href.slice(0, -hash.length);
}

async function ask(ctx: Context, url: string, target: URL, signal: AbortSignal): Promise<Finding | null> {
  const outcome = await ctx.fetcher.send({
    target: { origin: target.origin, path: target.pathname + target.search },
    method: 'HEAD',
    headers: [['User-Agent', 'mailcap']],
    body: null,
    signal,
  });
  if (outcome.kind !== 'answered') return finding(url, `does not answer: ${outcome.error}`);
  const { status } = outcome;
  return status < 400 || TELL_NOTHING.has(status) ? null : finding(url, `answers ${status}`);
}

function finding(url: string, what: string): Finding {
  const shown = url.length > 120 ? `${url.slice(0, 120)}…` : url;
  return {
    rule: 'link-unreachable',
    detail: url.slice(0, 500),
    severity: 'error',
    message: `${shown} ${what}.`,
    remedy: RULES['link-unreachable'].remedy,
    place: null,
    count: 1,
    clients: [],
    url: null,
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
