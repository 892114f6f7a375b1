import { GENERAL } from './samples/general.ts';
import { GITHUB } from './samples/github.ts';
import type { Sample } from './samples/sample.ts';
import { SHOPIFY } from './samples/shopify.ts';
import { SLACK } from './samples/slack.ts';
import { STRIPE } from './samples/stripe.ts';
import { WebhookError } from './webhook-error.ts';

/** The sample events, service by service. No two have the same name. */
export const SAMPLES: readonly Sample[] = [...STRIPE, ...GITHUB, ...SLACK, ...SHOPIFY, ...GENERAL];

/** Returns the sample event of a name. Throws a {@link WebhookError} that names all samples if there is none. */
export function sampleNamed(name: string): Sample {
  const found = SAMPLES.find((sample) => sample.name === name);
  if (found !== undefined) return found;
  const names = SAMPLES.map((sample) => sample.name).join(', ');
  throw new WebhookError(`there is no sample event ${JSON.stringify(name.slice(0, 100))}; there are ${names}`);
}
