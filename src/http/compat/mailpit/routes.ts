import { z } from 'zod';
import { countAll } from '../../../actions/search-messages.ts';
import { type Anyone, type Endpoint, foreignRoute } from '../../route.ts';
import { plainText } from '../foreign-answer.ts';
import { type Missing, notSupported } from '../not-supported.ts';
import { seededWorkspaceId } from '../seeded.ts';
import { mailpitMessages } from './messages.ts';
import { reads } from './reads.ts';

// docs/from-mailpit.md: Mailpit's API for reading and deleting, over the seeded workspace.

const NO_MARKS = 'mailcap does not store whether a message was read: every message counts as unread.';
const NO_TAGS = 'mailcap has no tags. A mailbox for each test keeps messages apart: docs/playwright.md.';
const FAULTS = 'Failures on purpose are rules of PUT /_mailcap/faults: docs/faults.md.';
const CHECKS = 'GET /_mailcap/messages/{id}/checks checks a message: docs/checks.md.';

const MISSING: readonly Missing[] = [
  ['PUT', '/api/v1/messages', NO_MARKS],
  ['POST', '/api/v1/send', 'Send by SMTP, or by POST /v1/mailboxes/{id}/send: docs/api.md.'],
  ['PUT', '/api/v1/tags', NO_TAGS],
  ['PUT', '/api/v1/tags/:tag', NO_TAGS],
  ['DELETE', '/api/v1/tags/:tag', NO_TAGS],
  ['POST', '/api/v1/message/:id/release', 'POST /_mailcap/messages/{id}/release hands a message to --relay.'],
  ['GET', '/api/v1/message/:id/part/:part/thumb', 'mailcap creates no thumbnails. Get the part itself.'],
  ['GET', '/api/v1/message/:id/html-check', CHECKS],
  ['GET', '/api/v1/message/:id/link-check', CHECKS],
  ['GET', '/api/v1/message/:id/sa-check', `${CHECKS} With --spamd the answer holds a spam score.`],
  ['GET', '/api/v1/webui', 'mailcap has a web inbox of its own, at /.'],
  ['GET', '/api/v1/chaos', FAULTS],
  ['PUT', '/api/v1/chaos', FAULTS],
  ['GET', '/api/events', 'GET /_mailcap/feed is the WebSocket for events: docs/feed.md.'],
];

export const mailpitRoutes: readonly Endpoint<Anyone>[] = [
  ...mailpitMessages,
  ...reads,

  foreignRoute('GET', '/api/v1/tags', {
    returns: { 200: z.array(z.string()) },
    handle: async () => [],
  }),

  foreignRoute('GET', '/api/v1/info', {
    returns: { 200: z.object({}).loose() },
    handle: async ({ ctx }) => {
      const total = await countAll(ctx, { workspaceId: await seededWorkspaceId(ctx) });
      const Version = `mailcap ${ctx.runtime.version}`;
      return { Version, LatestVersion: Version, Messages: total, Unread: total, Tags: {} };
    },
  }),

  // Compose files and Kubernetes use these paths for the health check of Mailpit.
  ...['/livez', '/readyz'].map((path) =>
    foreignRoute('GET', path, { returns: { 200: 'bytes' }, handle: async () => plainText('ok') }),
  ),

  ...notSupported(MISSING),
];
