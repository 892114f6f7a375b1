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
    description: 'Each owns a subdomain; mail to any address on it is delivered there.',
    routes: mailboxes,
  },
  { name: 'Messages', description: 'Read what was received, or wait for it.', routes: messageRoutes },
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

/** The operations of the local API, in the order of docs/contract.md#local-api. */
export const localOperations: readonly Section<Anyone>[] = [
  {
    name: 'Server',
    description: 'How it is, where it listens, and back to the start.',
    routes: [...server, localDescription(() => localOperations)],
  },
  {
    name: 'Workspaces',
    description: 'Tenants with their keys and groups: a worker or a test can have one of its own.',
    routes: workspaces,
  },
  {
    name: 'Sending',
    description: 'Verified domains, the suppression list, and what became of what was sent.',
    routes: localOutbound,
  },
  {
    name: 'Authenticators',
    description: 'Register what the cloud API then gives the codes of.',
    routes: authenticators,
  },
  {
    name: 'Local mailboxes',
    description: 'Settings, all mail of one, and why none came.',
    routes: [...localMailboxes, ...searchOfMailbox, ...localAwait, ...diagnosis],
  },
  {
    name: 'Local messages',
    description: 'One message to the byte, with what stands beside it.',
    routes: [...searchOfAll, ...localMessages, ...checks, ...views, ...release],
  },
  {
    name: 'Captured requests',
    description: 'To the byte, and answers that are scripted.',
    routes: [...interceptors, ...localWebhooks],
  },
  {
    name: 'Webhooks outward',
    description: 'Signed webhooks as services send them, and captured requests as a file that is played.',
    routes: outgoingWebhooks,
  },
  {
    name: 'Control',
    description: 'The clock, failures on purpose, and what happens as it happens.',
    routes: [...smtpSessions, ...waits, ...clock, ...faults, ...metrics, ...feed],
  },
];
