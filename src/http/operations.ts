import { localAwait } from './local/await.ts';
import { checks } from './local/checks.ts';
import { diagnosis, smtpSessions } from './local/diagnosis.ts';
import { localDescription } from './local/documentation.ts';
import { faults } from './local/faults.ts';
import { feed } from './local/feed.ts';
import { localMailboxes } from './local/mailboxes.ts';
import { localMarks } from './local/marks.ts';
import { localMessages, release } from './local/messages.ts';
import { localOutbound } from './local/outbound.ts';
import { outgoingWebhooks } from './local/outgoing-webhooks.ts';
import { textsOfPhones } from './local/phone-texts.ts';
import { testRuns } from './local/runs.ts';
import { searchOfAll, searchOfMailbox, threads } from './local/search.ts';
import { clock, metrics, server } from './local/server.ts';
import { views } from './local/views.ts';
import { localWebhooks, webhooksOfAll } from './local/webhooks.ts';
import { authenticators, workspaces } from './local/workspaces.ts';
import type { Anyone, ApiCaller, RouteGroup } from './route.ts';
import { mailboxes, messageRoutes, outbound, totp, webhooks } from './v1.ts';
import { awaitMessage, waits } from './waits.ts';

// This module is the table of all operations. The router serves them, and everything that describes them is derived
// from it: the OpenAPI documents, `/docs`, the tables of docs/ and the calls of the client.

/** The operations of the cloud API, in the order of docs/api.md. */
export const cloudOperations: readonly RouteGroup<ApiCaller>[] = [
  {
    name: 'Mailboxes',
    description: 'A mailbox owns a subdomain, and takes mail to every address on it.',
    routes: mailboxes,
  },
  {
    name: 'Messages',
    description: 'Read received messages, or wait for one.',
    routes: [messageRoutes.list, awaitMessage, messageRoutes.get],
  },
  {
    name: 'Outbound',
    description: 'Send mail from a mailbox, and the list of addresses that bounced or complained.',
    routes: outbound,
  },
  { name: 'TOTP', description: 'The current two-factor code of a stored authenticator.', routes: totp },
  {
    name: 'Webhooks',
    description: 'Webhooks record every request to their URL, answer it, and may forward it.',
    routes: webhooks,
  },
];

/** The operations of the local API, in the order of docs/api.md#the-local-api. */
export const localOperations: readonly RouteGroup<Anyone>[] = [
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
    description: 'Verified domains, the suppression list, the state of sends, and texts of phones.',
    routes: [...localOutbound, ...textsOfPhones],
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
    routes: [...searchOfAll, ...localMarks, ...localMessages, ...threads, ...checks, ...views, ...release],
  },
  {
    name: 'Captured requests',
    description: 'Captured requests with their exact bytes, and scripted answers.',
    routes: [...webhooksOfAll, ...localWebhooks],
  },
  {
    name: 'Webhooks outward',
    description: 'Send signed events as services do. Record captured requests, and play them.',
    routes: outgoingWebhooks,
  },
  {
    name: 'Runs',
    description: 'The runs of test runners with their tests, as the fixtures report them.',
    routes: testRuns,
  },
  {
    name: 'Control',
    description: 'The clock, fault rules, and events.',
    routes: [...smtpSessions, ...waits, ...clock, ...faults, ...metrics, ...feed],
  },
];
