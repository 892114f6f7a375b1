import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { toRequestRow } from '../../../ui/terminal/shell/resources.ts';
import type { TestServer } from '../../support/mailcap.ts';
import { ENTER, ESC, openInbox, TAB } from './open-inbox.tsx';

test('webhooks: a captured request appears as it comes, is read, replayed, and copied as curl', async () => {
  const fixture = await openInbox({ columns: 120, rows: 30 });
  const { key } = await makeWebhook(fixture.server, { name: 'Payments', responseStatus: 202 });
  fixture.press(TAB);
  await fixture.shows('❯ Payments');
  fixture.press(ENTER);
  await fixture.shows('No request was captured yet');
  await capture(fixture.server, `${key}/orders?id=1`, '{"total":1}');
  await fixture.shows(/❯ POST \/orders.* 202/);
  fixture.press('c');
  await fixture.shows('Copied the curl command');
  expect(fixture.copied[0]).toContain(`curl -X POST '${fixture.server.url}/hooks/${key}/orders?id=1'`);
  expect(fixture.copied[0]).toContain(`--data-raw '{"total":1}'`);
  await fixture.shows('content-type: application/json');
  await fixture.shows('"total": 1');
  fixture.press('r');
  await fixture.shows('Its webhook has no forward URL');
  fixture.press(ESC, ESC);
  await fixture.shows('❯ Payments');
  await fixture.shows('1 request');
});

test('webhooks: a request that the list and the feed both report is counted once', async () => {
  const fixture = await openInbox({ columns: 120 });
  const { key } = await makeWebhook(fixture.server, { name: 'Payments' });
  await capture(fixture.server, key, '{}');
  fixture.press(TAB);
  await fixture.shows('1 request');
  const { webhooks } = fixture.shell.inbox;
  const webhookId = webhooks.all.items[0]?.id ?? '';
  const { items } = await createClient({
    baseUrl: fixture.server.url,
    apiKey: fixture.server.apiKey,
  }).listWebhookRequests(webhookId);
  for (const item of items) fixture.shell.give({ is: 'request-captured', webhookId, row: toRequestRow(item) });
  await capture(fixture.server, key, '{}');
  await fixture.shows('2 requests');
});

test('authenticators: codes count down, and enter copies one', async () => {
  const fixture = await openInbox();
  const path = `/_mailcap/workspaces/${fixture.server.workspaceId}/authenticators`;
  const made = await fixture.server.api(path, { json: { name: 'bank', secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' } });
  expect(made.status).toBe(201);
  fixture.press(TAB, TAB);
  await fixture.shows(/❯ bank +\d{3} \d{3} .*━.* \d+ s/);
  fixture.press(ENTER);
  await fixture.shows('Copied the code of bank');
  expect(fixture.copied[0]).toMatch(/^\d{6}$/);
});

async function makeWebhook(server: TestServer, fields: object): Promise<{ key: string }> {
  const answer = await server.api('/v1/webhooks', { json: fields });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { key: string }; // the API returns a view
}

async function capture(server: TestServer, path: string, body: string): Promise<void> {
  await fetch(`${server.url}/hooks/${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}
