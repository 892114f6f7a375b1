import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { Webhook } from '../../src/client/index.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import { failure, type StageTest } from './modes.ts';

const exec = promisify(execFile);
const SOON = { timeout: 300 };

function post(
  { url }: Webhook,
  path: string,
  body: string | Uint8Array<ArrayBuffer> = '',
  headers = {},
): Promise<Response> {
  return fetch(url + path, { method: 'POST', body, headers });
}

/** Tests webhook handles. A local server pushes their requests; in the cloud they poll. */
export function webhookSuite(base: StageTest): void {
  const test = base.extend('webhook', ({ stage }) => stage.client.webhook());

  describe('a webhook', () => {
    test('returns a request that came before the wait or comes during it, and none twice', async ({ webhook }) => {
      await post(webhook, '/first?a=1', '{"n":1}', { 'content-type': 'application/json', 'x-tag': 'one' });
      const first = await webhook.waitForRequest({ path: '/first' });
      expect(first).toMatchObject({ method: 'POST', path: '/first', query: 'a=1', headers: { 'x-tag': 'one' } });
      expect(first.json()).toEqual({ n: 1 });
      const waiting = webhook.waitForRequest({ method: 'post', body: /"n":2/, where: ({ query }) => query === null });
      await post(webhook, '/other', '{"n":3}');
      await post(webhook, '/first', '{"n":2}');
      expect((await waiting).json()).toEqual({ n: 2 });
      expect((await webhook.requests()).map(({ path }) => path)).toEqual(['/first', '/other', '/first']);
    });

    test('does not return a request from before the handle was created', async ({ stage, webhook }) => {
      await post(webhook, '/before');
      const later = await stage.client.webhook(webhook.id);
      expect(await failure(later.waitForRequest({}, SOON))).toMatchObject({ code: 'no_request' });
      await post(webhook, '/after');
      expect(await later.waitForRequest()).toMatchObject({ path: '/after' });
    });

    test('several requests are an error that lists them; a timeout lists the requests and why each was refused', async ({
      webhook,
    }) => {
      await post(webhook, '/a');
      await post(webhook, '/b');
      const several = await failure(webhook.waitForRequest());
      expect(several).toMatchObject({ code: 'several_requests' });
      expect(several.message).toMatch(/POST \/a .*\n.*POST \/b/);
      const none = await failure(webhook.waitForRequest({ path: '/c' }, SOON));
      expect(none).toMatchObject({ name: 'WaitTimeoutError', code: 'no_request' });
      expect(none.message).toMatch(/POST \/a .*refused, path has no "\/c": it is "\/a"/);
      expect(none.stack?.split('\n    at ')[1]).toContain('webhook-suite.ts');
      expect(await webhook.waitForRequests(2)).toHaveLength(2);
    });

    test('expectNoRequest watches the whole window', async ({ webhook }) => {
      const started = performance.now();
      await webhook.expectNoRequest({}, { for: 300 });
      expect(performance.now() - started).toBeGreaterThanOrEqual(300);
      const watching = failure(webhook.expectNoRequest({ path: '/b' }, { for: 20_000 }));
      await post(webhook, '/a');
      await post(webhook, '/b');
      expect(await watching).toMatchObject({ code: 'unexpected_request', message: expect.stringContaining('/b') });
    });

    test('respond sets the answer; a list is used up one by one, where the server is local', async ({
      stage,
      webhook,
    }) => {
      await webhook.respond({ status: 202, body: 'taken', headers: { 'Content-Type': 'text/plain' } });
      const answer = await post(webhook, '');
      expect([answer.status, await answer.text(), answer.headers.get('content-type')]).toEqual([
        202,
        'taken',
        'text/plain',
      ]);
      expect(await failure(webhook.respond({ drop: true }))).toMatchObject({ code: 'invalid_option' });
      const scripted = webhook.respond([{ status: 500 }, { status: 201, headers: { 'X-Tag': 'two' } }]);
      if (stage.mode === 'cloud') {
        expect(await failure(scripted)).toMatchObject({ code: 'local_only' });
        return;
      }
      await scripted;
      expect([(await post(webhook, '')).status, (await post(webhook, '')).status]).toEqual([500, 201]);
      expect((await post(webhook, '')).status).toBe(202);
    });

    test('has the exact bytes; the cloud does not return a body that is no text', async ({ stage, webhook }) => {
      const text = '\ufeff{"a" : "ä"}\n';
      await post(webhook, '', text);
      expect((await webhook.waitForRequest()).rawBody).toEqual(new TextEncoder().encode(text));
      const bytes = Uint8Array.from([0, 255, 10, 128]);
      await post(webhook, '', bytes);
      const binary = await webhook.waitForRequest();
      if (stage.mode === 'local') expect(binary.rawBody).toEqual(bytes);
      else expect(() => binary.rawBody).toThrow('cloud API returns only text bodies');
    });

    unless(test, lacking('curl'))('its curl command sends the same request again', async ({ webhook }) => {
      await post(webhook, "/it's?q=1", '@it\'s "text"\n$HOME', { 'x-tag': 'a b', 'content-type': 'text/plain' });
      const first = await webhook.waitForRequest();
      await exec('sh', ['-c', first.curl()]);
      const second = await webhook.waitForRequest();
      expect(second.rawBody).toEqual(first.rawBody);
      expect(second).toMatchObject({ path: first.path, query: 'q=1', headers: { 'x-tag': 'a b' } });
      expect(await failure(first.replay())).toMatchObject({ code: 'invalid_forward' });
      expect(() => first.json()).toThrow('is not JSON');
    });

    unless(test, lacking('curl')).for([
      ['sets and ranges', '/a?filter[status]=paid&ids={1,2}&n=[1-3]', 'x'],
      ['ways up', '/a/../b/./c', 'x'],
      ['a long body', '/long', "it's ".repeat(60_000)],
    ] as const)('its curl sends %s as they are, once', async ([_what, path, body], { webhook }) => {
      // fetch cannot send this request.
      await new Promise<void>((resolve, reject) => {
        const { host, pathname } = new URL(webhook.url);
        const sending = request(`http://${host}`, { method: 'POST', path: pathname + path, headers: { 'x-tag': '1' } });
        sending
          .on('error', reject)
          .on('response', (answer) => answer.resume().on('end', resolve))
          .end(body);
      });
      const first = await webhook.waitForRequest();
      const script = join(await temporaryDirectory(), 'again.sh');
      await writeFile(script, first.curl());
      await exec('sh', [script]);
      const second = await webhook.waitForRequest();
      // A comparison of the arrays by expect takes a second for a long body.
      expect(Buffer.compare(second.rawBody, first.rawBody)).toBe(0);
      expect(second).toMatchObject({ path: first.path, query: first.query, headers: { 'x-tag': '1' } });
      await webhook.expectNoRequest({}, { for: 50 });
    });

    test('fetches no request that the list already excludes', async ({ stage, webhook }) => {
      for (const path of ['/noise', '/noise', '/order', '/noise']) await post(webhook, path);
      const before = stage.proxy.seen.length;
      await webhook.waitForRequest({ path: '/order' });
      expect(await webhook.requests({ path: '/order', method: 'post' })).toHaveLength(1);
      const fetched = stage.proxy.seen.slice(before).filter(({ path }) => /webhooks\/requests\/\w+$/.test(path));
      expect(fetched).toHaveLength(1);
    });

    test('stops to exist when it is deleted', async ({ webhook }) => {
      await webhook.delete();
      expect((await post(webhook, '')).status).toBe(404);
    });
  });
}
