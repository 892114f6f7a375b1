import { type FreshValues, iso, type Json, plainSample, type Sample } from './sample.ts';
import { GITHUB } from './samples/github.ts';
import { SHOPIFY } from './samples/shopify.ts';
import { SLACK } from './samples/slack.ts';
import { STRIPE } from './samples/stripe.ts';
import { WebhookError } from './schemes.ts';
import type { SenderName } from './senders.ts';

const AGENTS: Readonly<Partial<Record<SenderName, string>>> = { svix: 'Svix-Webhooks/1.78' };

// The event of the specification of Standard Webhooks, and mailcap's own events (docs/feed.md#events).

const GENERAL: readonly Sample[] = [
  sample('contact.created', 'standard-webhooks', 'The example of Standard Webhooks', (fresh) => ({
    type: 'contact.created',
    timestamp: iso(fresh),
    data: { id: fresh.id('cnt_', 20), email: 'ada@shop.example', firstName: 'Ada', lastName: 'Lovelace' },
  })),
  sample('user.created', 'svix', 'A user signed up', (fresh) => ({
    type: 'user.created',
    timestamp: iso(fresh),
    data: { id: fresh.id('usr_', 20), email: 'ada@shop.example', name: 'Ada Lovelace', createdAt: iso(fresh) },
  })),
  sample('message.received', 'mailcap', 'A mail came', (fresh) => {
    const id = ulid(fresh);
    return {
      id,
      type: 'message.received',
      at: iso(fresh),
      workspaceId: ulid(fresh),
      data: {
        mailboxId: ulid(fresh),
        messageId: id,
        from: 'ada@shop.example',
        subject: 'Your code is 482913',
      },
    };
  }),
  sample('webhook.captured', 'mailcap', 'A webhook got a request', (fresh) => {
    const id = ulid(fresh);
    const data = { webhookId: ulid(fresh), requestId: id, method: 'POST', path: '/orders', responseStatus: 200 };
    return { id, type: 'webhook.captured', at: iso(fresh), workspaceId: ulid(fresh), data };
  }),
];

/** Returns an id of the form of mailcap's. */
function ulid(fresh: FreshValues): string {
  return `01K${fresh.hex(23).toUpperCase()}`;
}

function sample(name: string, sender: SenderName, about: string, body: (fresh: FreshValues) => Json): Sample {
  return plainSample([sender, AGENTS[sender] ?? 'mailcap'], name, about, body);
}

/** The sample events, service by service. No two have the same name. */
export const SAMPLES: readonly Sample[] = [...STRIPE, ...GITHUB, ...SLACK, ...SHOPIFY, ...GENERAL];

/** Returns the sample event of a name. Throws a {@link WebhookError} that names all samples if there is none. */
export function sampleNamed(name: string): Sample {
  const found = SAMPLES.find((sample) => sample.name === name);
  if (found !== undefined) return found;
  const names = SAMPLES.map((sample) => sample.name).join(', ');
  throw new WebhookError(`there is no sample event ${JSON.stringify(name.slice(0, 100))}; there are ${names}`);
}
