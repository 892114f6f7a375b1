import { type Feature, featuresBySlug } from './clients/features.ts';
import { CLIENT_IDS, type ClientId } from './clients/named.ts';
import type { Finding, MailPlace } from './finding.ts';

/** The support of a client for a feature. Clients that nobody tested have none. */
export type Support = 'yes' | 'partial' | 'no';

const LETTERS: Readonly<Record<string, Support>> = { y: 'yes', a: 'partial', n: 'no' };

/** Shares of the tested clients, in per cent. */
export interface Shares {
  readonly supported: number;
  readonly partial: number;
  readonly unsupported: number;
}

/** A feature that a mail uses and that at least one client lacks. */
export interface FeatureSupport extends Shares {
  readonly feature: string;
  readonly title: string;
  readonly message: string;
  /** The number of uses, and the first of them. */
  readonly count: number;
  readonly place: MailPlace | null;
  readonly url: string | null;
  /** The tested clients. */
  readonly clients: readonly { readonly id: ClientId; readonly support: Support }[];
}

/** How much of the HTML and CSS of a mail its clients show, and what they lack. */
export interface HtmlScore extends Shares {
  readonly elements: number;
  /** The feature first that costs the most. */
  readonly features: readonly FeatureSupport[];
}

/** No mail client runs scripts. caniemail.com has no page for them. */
const SCRIPT = { slug: 'html-script', title: '<script> element', support: 'n'.repeat(CLIENT_IDS.length) };

/**
 * Scores the HTML of a mail by the findings of its check. A feature costs the share of the clients that lack it, times
 * the share of the elements that use it. The score is that of Mailpit's HTML check: the costliest feature decides.
 */
export function htmlSupport(
  findings: readonly Finding[],
  elements: number,
  clients: readonly ClientId[] = CLIENT_IDS,
): HtmlScore {
  const nodes = Math.max(1, elements);
  const cost = ({ unsupported, partial, count }: FeatureSupport) => ((unsupported + partial) * count) / nodes;
  const features = findings
    .flatMap((finding) => {
      const feature = featureOf(finding);
      return feature === undefined ? [] : [supportOf(feature, finding, clients)];
    })
    .sort((one, other) => cost(other) - cost(one));
  const most = (what: 'partial' | 'unsupported') =>
    Math.max(0, ...features.map((feature) => (feature[what] * Math.min(feature.count, nodes)) / nodes));
  const [partial, unsupported] = [most('partial'), most('unsupported')];
  return { elements, features, supported: Math.max(0, 100 - partial - unsupported), partial, unsupported };
}

function featureOf({ rule, detail }: Finding): Feature | undefined {
  if (rule === 'active-content' && detail === 'script') return SCRIPT;
  return rule === 'client-support' && detail !== null ? featuresBySlug().get(detail) : undefined;
}

function supportOf(
  { slug, title, support }: Feature,
  { message, count, place, url }: Finding,
  wanted: readonly ClientId[],
): FeatureSupport {
  const clients = CLIENT_IDS.flatMap((id, at) => {
    const found = LETTERS[support[at] ?? ''];
    return found === undefined || !wanted.includes(id) ? [] : [{ id, support: found }];
  });
  const share = (what: Support) =>
    (100 * clients.filter((client) => client.support === what).length) / Math.max(1, clients.length);
  return {
    ...{ feature: slug, title, message, count, place, url, clients },
    ...{ supported: share('yes'), partial: share('partial'), unsupported: share('no') },
  };
}
