import { z } from 'zod';
import { TIMEOUT } from '../fields.ts';
import { createWebhook, findWebhook } from '../find-webhook.ts';
import { requestResult } from '../results/request.ts';
import { tool } from '../tool.ts';
import { waitForNewRequest } from '../wait.ts';

export const waitForWebhook = tool('wait_for_webhook', {
  description:
    'Wait for an HTTP request to a capture URL that no wait returned yet. Without webhook: makes a URL and returns it at once.',
  input: z.object({
    webhook: z.string().optional().describe('id, name or URL'),
    timeout: TIMEOUT,
  }),
  output: z.object({
    webhook_id: z.string(),
    url: z.string(),
    found: z.boolean(),
    reason: z.string().optional(),
    request_id: z.string().optional(),
    method: z.string().optional(),
    received_at: z.string().optional(),
    content: z.string(),
  }),
  run: async (call, { webhook: named, timeout }) => {
    const { desk, signal } = call;
    const client = await desk.client();
    const webhook = named === undefined ? null : await findWebhook(client, named, { signal });
    if (webhook === null) {
      const { id, url } = await createWebhook(client, { signal });
      desk.made.add(id);
      return { webhook_id: id, url, found: false, reason: 'The URL is new.', content: '' };
    }
    const { id: webhook_id, url } = webhook;
    const waited = await waitForNewRequest(call, client, webhook_id, timeout);
    if ('reason' in waited) return { webhook_id, url, found: false, reason: waited.reason, content: '' };
    const request = await client.getWebhookRequest(waited.id, { signal });
    return { webhook_id, url, found: true, ...requestResult(request, desk.fenceId()) };
  },
});
