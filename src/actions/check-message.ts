import type { Checked } from '../checks/check-mail.ts';
import type { ClientId } from '../checks/clients/named.ts';
import { type Judgement, judgeFindings, type RuleName } from '../checks/judge.ts';
import { Reporter, sorted } from '../checks/reporter.ts';
import { type SpamScore, spamFinding, spamUnscored } from '../checks/rules/spam.ts';
import type { Context } from '../context.ts';
import { parseEnvelopeAddress } from '../domain/address.ts';
import type { Message } from '../domain/message.ts';
import { momentNow } from '../ports/clock.ts';
import type { Ending } from '../ports/ending.ts';
import type { SpamFilter } from '../ports/spam-filter.ts';
import { reachLinks } from './reach-links.ts';
import { readFacts } from './read-message.ts';
import { readWhile } from './stored-bytes.ts';

export interface CheckRequest {
  readonly clients: readonly ClientId[];
  readonly allow: readonly RuleName[];
  readonly deny: readonly RuleName[];
  /** Tells whether to request the targets of links. Without it, the check makes no requests to link targets. */
  readonly reach: boolean;
}

export interface CheckReport extends Judgement {
  readonly checked: Checked;
  /** The reason why the mail could not be checked, in which case it does not pass. Null if it was checked. */
  readonly checkError: string | null;
  /** The spam score. Null without a spam filter, and if the filter gave no score. */
  readonly spam: SpamScore | null;
}

const NOTHING: Checked = {
  findings: [],
  leftOut: 0,
  unsubscribe: { url: null, mailto: null, isOneClick: false, findings: [] },
  links: [],
  notChecked: [],
};

/** Checks a message (docs/checks.md). Throws `not_found` if it was deleted. */
export async function checkMessage(
  ctx: Context,
  message: Message,
  { clients, allow, deny, reach }: CheckRequest,
  ending: Ending,
): Promise<CheckReport> {
  const verification = { zone: ctx.config.spf?.zone ?? null, spfDomain: await spfDomainOf(ctx, message) };
  const isThere = async () => (await ctx.store.read.messages.get(message.id, momentNow(ctx.clock))) !== null;
  const read = () => ctx.store.blobs.read(message.raw);
  const options = { clients, reach, ...verification };
  const outcome = await readWhile(isThere, () => ctx.parser.check(message.sizeBytes, read, options));
  if (typeof outcome === 'string') {
    return {
      ...judgeFindings(NOTHING, { allow, deny }),
      checked: NOTHING,
      passed: false,
      checkError: outcome,
      spam: null,
    };
  }
  const asked = await Promise.all([
    reach ? reachLinks(ctx, outcome.links, ending) : null,
    readWhile(isThere, () => scoreSpam(ctx.spamFilter, message.sizeBytes, read, ending)),
  ]);
  const further = asked.filter((one) => one !== null);
  const checked = {
    ...outcome,
    findings: sorted([...outcome.findings, ...further.flatMap(({ findings }) => findings)]),
    notChecked: [...outcome.notChecked, ...further.flatMap(({ notAsked }) => notAsked)],
  };
  return { ...judgeFindings(checked, { allow, deny }), checked, checkError: null, spam: asked[1]?.score ?? null };
}

/** Gets the score of the spam filter. If the filter gives none, the result has the reason. */
async function scoreSpam(filter: SpamFilter | null, sizeBytes: number, read: () => Promise<Buffer>, ending: Ending) {
  if (filter === null) return null;
  const outcome = await filter.score(sizeBytes, read, ending);
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
