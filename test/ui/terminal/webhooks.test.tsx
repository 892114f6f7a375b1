import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { toRequestRow } from '../../../ui/terminal/shell/resources.ts';
import type { TestServer } from '../../support/mailcap.ts';
import { ENTER, ESC, openDesk, TAB } from './desk.tsx';

test('webhooks: what is captured appears as it comes, is read, replayed, and copied as curl', async () => {
  const desk = await openDesk({ columns: 120, rows: 30 });
  const { key } = await makeWebhook(desk.server, { name: 'Payments', responseStatus: 202 });
  desk.press(TAB);
  await desk.shows('❯ Payments');
  desk.press(ENTER);
  await desk.shows('No request was captured yet');
  await capture(desk.server, `${key}/orders?id=1`, '{"total":1}');
  await desk.shows(/❯ POST \/orders.* 202/);
  desk.press('c');
  await desk.shows('Copied the curl command');
  expect(desk.copied[0]).toContain(`curl -X POST '${desk.server.url}/hooks/${key}/orders?id=1'`);
  expect(desk.copied[0]).toContain(`--data-raw '{"total":1}'`);
  await desk.shows('content-type: application/json');
  await desk.shows('"total": 1');
  desk.press('r');
  await desk.shows('Its webhook has no forward URL');
  desk.press(ESC, ESC);
  await desk.shows('❯ Payments');
  await desk.shows('1 request');
});

test('webhooks: a request that the list and the feed both tell is counted once', async () => {
  const desk = await openDesk({ columns: 120 });
  const { key } = await makeWebhook(desk.server, { name: 'Payments' });
  await capture(desk.server, key, '{}');
  desk.press(TAB);
  await desk.shows('1 request');
  const { hooks } = desk.shell.inbox;
  const webhookId = hooks.webhooks.items[0]?.id ?? '';
  const { items } = await createClient({
    baseUrl: desk.server.url,
    apiKey: desk.server.apiKey,
  }).listWebhookRequests(webhookId);
  for (const item of items) desk.shell.give({ is: 'request-captured', webhookId, row: toRequestRow(item) });
  await capture(desk.server, key, '{}');
  await desk.shows('2 requests');
});

test('authenticators: their codes run, and enter copies one', async () => {
  const desk = await openDesk();
  const path = `/_mailcap/workspaces/${desk.server.workspaceId}/authenticators`;
  const made = await desk.server.api(path, { json: { name: 'bank', secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' } });
  expect(made.status).toBe(201);
  desk.press(TAB, TAB);
  await desk.shows(/❯ bank +\d{3} \d{3} .*━.* \d+ s/);
  desk.press(ENTER);
  await desk.shows('Copied the code of bank');
  expect(desk.copied[0]).toMatch(/^\d{6}$/);
});

async function makeWebhook(server: TestServer, fields: object): Promise<{ key: string }> {
  const answer = await server.api('/v1/webhooks', { json: fields });
  expect(answer.status).toBe(201);
  return (await answer.json()) as { key: string }; // the API returns a view
}

async function capture(server: TestServer, path: string, body: string): Promise<void> {
  await fetch(`${server.url}/hooks/${path}`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}
