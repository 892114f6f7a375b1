import { CLIENT_IDS, type ClientId } from './named.ts';
import { FEATURES } from './support.ts';

/** A feature of HTML, CSS or images, with the letter of each client in the order of CLIENTS. */
export interface Feature {
  readonly slug: string;
  readonly title: string;
  readonly support: string;
}

let features: ReadonlyMap<string, Feature> | null = null;

/** Returns the features by their slugs. The data is read with the first call. */
export function featuresBySlug(): ReadonlyMap<string, Feature> {
  features ??= new Map(
    FEATURES.trim()
      .split('\n')
      .map((line) => {
        const [slug = '', title = '', support = ''] = line.split('|');
        return [slug, { slug, title, support }];
      }),
  );
  return features;
}

/** Returns the clients that do not support a feature. Partial support counts as support. */
export function lacking(feature: Feature, clients: readonly ClientId[]): ClientId[] {
  return clients.filter((id) => feature.support[CLIENT_IDS.indexOf(id)] === 'n');
}
