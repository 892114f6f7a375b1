import { authenticators } from './local/authenticators.ts';
import { localAwait } from './local/await.ts';
import { checks } from './local/checks.ts';
import { clock } from './local/clock.ts';
import { diagnosis } from './local/diagnosis.ts';
import { localDescription } from './local/documentation.ts';
import { faults } from './local/faults.ts';
import { feed } from './local/feed.ts';
import { interceptors } from './local/interceptors.ts';
import { localMailboxes } from './local/mailboxes.ts';
import { localMessages } from './local/messages.ts';
import { metrics } from './local/metrics.ts';
import { localOutbound } from './local/outbound.ts';
import { outgoingWebhooks } from './local/outgoing-webhooks.ts';
import { release } from './local/release.ts';
import { searchOfAll, searchOfMailbox } from './local/search.ts';
import { server } from './local/server.ts';
import { smtpSessions } from './local/smtp-sessions.ts';
import { views } from './local/views.ts';
import { waits } from './local/waits.ts';
import { localWebhooks } from './local/webhooks.ts';
import { workspaces } from './local/workspaces.ts';
import type { Anyone, ApiCaller } from './route.ts';
import type { Section } from './section.ts';
import { mailboxes } from './v1/mailboxes.ts';
import { messageRoutes } from './v1/messages.ts';
import { outbound } from './v1/outbound.ts';
import { totp } from './v1/totp.ts';
import { webhooks } from './v1/webhooks.ts';

// This module is the table of all operations. The router serves them, and everything that describes them is derived
// from it: the OpenAPI documents, `/docs`, the tables of docs/ and the calls of the client.

/** The operations of the cloud API, in the order of docs/api.md. */
export const cloudOperations: readonly Section<ApiCaller>[] = [
  {
    name: 'Mailboxes',
    description: 'A mailbox owns a subdomain, and takes mail to every address on it.',
    routes: mailboxes,
  },
  { name: 'Messages', description: 'Read received messages, or wait for one.', routes: messageRoutes },
  {
    name: 'Outbound',
    description: 'Send mail from a mailbox, and the list of addresses that bounced or complained.',
    routes: outbound,
  },
  { name: 'TOTP', description: 'The current two-factor code of a stored authenticator.', routes: totp },
  {
    name: 'Webhooks',
    description: 'Capture URLs that record every request, answer it, and may forward it.',
    routes: webhooks,
  },
];

/** The operations of the local API, in the order of docs/api.md#the-local-api. */
export const localOperations: readonly Section<Anyone>[] = [
  {
    name: 'Server',
    description: 'Its health, its addresses, and the reset.',
    routes: [...server, localDescription(() => localOperations)],
  },
  {
    name: 'Workspaces',
    description: 'Tenants with their keys and groups. A worker or a test can have its own.',
    routes: workspaces,
  },
  {
    name: 'Sending',
    description: 'Verified domains, the suppression list, and the state of sends.',
    routes: localOutbound,
  },
  {
    name: 'Authenticators',
    description: 'Register authenticators. The cloud API then returns their codes.',
    routes: authenticators,
  },
  {
    name: 'Local mailboxes',
    description: 'The settings and the mail of mailboxes, and the reason why no mail came.',
    routes: [...localMailboxes, ...searchOfMailbox, ...localAwait, ...diagnosis],
  },
  {
    name: 'Local messages',
    description: 'A single message: its exact bytes, envelope, codes and links.',
    routes: [...searchOfAll, ...localMessages, ...checks, ...views, ...release],
  },
  {
    name: 'Captured requests',
    description: 'Captured requests with their exact bytes, and scripted answers.',
    routes: [...interceptors, ...localWebhooks],
  },
  {
    name: 'Webhooks outward',
    description: 'Send signed webhooks as services do. Record captured requests, and play them.',
    routes: outgoingWebhooks,
  },
  {
    name: 'Control',
    description: 'The clock, fault rules, and events.',
    routes: [...smtpSessions, ...waits, ...clock, ...faults, ...metrics, ...feed],
  },
];
