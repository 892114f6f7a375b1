import { createHash } from 'node:crypto';
import { expect, test as plain } from 'vitest';
import { referencePage } from '../../src/http/docs/reference.ts';
import { type Document, describe, describeLocal } from '../../src/http/openapi/document.ts';
import { cloudOperations, localOperations } from '../../src/http/operations.ts';
import { startServer, test } from '../support/mailcap.ts';
import { send } from './support.ts';

const document = describe(cloudOperations);
const local = describeLocal(localOperations);

test('GET /docs/reference is a page that lets a browser load nothing, and run nothing but its own script', async ({
  mailcap,
}) => {
  const response = await fetch(`${mailcap.url}/docs/reference`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'unsafe-inline';/);
  const html = await response.text();
  expect(html).not.toMatch(/<(link|img|iframe|object)\b| on\w+=|@import|url\(|<script /i);
  const [, script = '', ...more] = /<script>(.*?)<\/script>/s.exec(html) ?? [];
  expect(more).toEqual([]);
  const hash = createHash('sha256').update(script).digest('base64');
  expect(response.headers.get('content-security-policy')).toContain(`script-src 'sha256-${hash}'; connect-src 'self'`);
  expect(html).toContain(`value="${mailcap.apiKey}"`);
  expect(html).toContain(`curl -s &#34;${mailcap.url}/v1/mailboxes&#34;`);
});

plain('off loopback the page holds no key', async () => {
  await using server = await startServer({ host: '0.0.0.0', adminToken: 'let-me-in-please' });
  const html = await (await fetch(`${server.url}/docs/reference`)).text();
  expect(html).not.toContain(server.apiKey);
  expect(html).not.toContain('let-me-in-please');
  expect(html).toContain('Admin token');
});

plain('it has every operation of both APIs once, with its path, parameters, codes and answers', () => {
  const html = referencePage(document, local, null);
  for (const [path, methods] of [...Object.entries(document.paths), ...Object.entries(local.paths)]) {
    for (const [method, { operationId, parameters, responses }] of Object.entries(methods)) {
      const [, section = '', ...more] = html.split(`id="${operationId}"`);
      expect(more).toEqual([]);
      const text = section.slice(0, section.indexOf('</section>'));
      expect(text).toContain(`${method.toUpperCase()}</span> <code>${path}</code>`);
      for (const { name } of parameters) expect(text).toContain(`<code>${name}</code>`);
      for (const status of Object.keys(responses)) expect(text).toContain(`<th scope="row">${status}</th>`);
    }
  }
});

plain('its links lead to what is on it', () => {
  const html = referencePage(document, local, null);
  const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  const targets = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  expect(targets.length).toBeGreaterThan(0);
  expect(targets.filter((id) => !ids.has(id))).toEqual([]);
});

plain('whatever the document says is text on the page', () => {
  const evil = '<img src=x onerror="alert(1)">';
  const swapped = JSON.stringify(document, (name, value: unknown) =>
    ['summary', 'description', 'title', 'url', 'format'].includes(name) && typeof value === 'string' ? evil : value,
  );
  const html = referencePage(JSON.parse(swapped) as Document, local, null); // this document only has other texts
  expect(html).not.toContain('<img');
  expect(html).toContain('&#60;img src=x onerror=&#34;alert(1)&#34;&#62;');
});

test('neither answers a foreign Host', async ({ mailcap }) => {
  for (const path of ['/openapi.json', '/docs', '/docs/reference', '/docs/faults']) {
    expect((await send(mailcap, { path, headers: { host: 'evil.example' } })).status).toBe(403);
  }
});
