import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentOf, makePlaywrightProject, playwright, type Result, resultsOf } from './playwright-project.ts';
import type { Project } from './project.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const SPEC = `import { test } from 'mailcap/playwright';
import { send } from './app.js';
test('many', async ({ mailbox }) => {
  for (let i = 1; i <= 100; i++) await send(mailbox.address, 'News ' + i, 'Hello');
  await mailbox.waitForMessage({ subject: 'reset' }, { timeout: 100 });
});
test('requests', async ({ webhook }) => {
  for (let i = 1; i <= 21; i++) await fetch(webhook.url, { method: 'POST', body: String(i) });
  await webhook.waitForRequest({ method: 'PUT' }, { timeout: 100 });
});
test('pictures', async ({ mailbox }) => {
  const picture = (cid, more) => ({ filename: cid + '.png', cid, content: '${PIXEL}', encoding: 'base64', ...more });
  await send(mailbox.address, 'Your order', 'Track it: https://shop.test/track', {
    html: '<img src="cid:logo@shop"><img src=cid:a%20b alt=x><td style="background:url(&quot;cid:back&quot;)">' +
      '<img src="cid:bill@shop"><img src="cid:nowhere@shop"><img src="https://shop.test/pixel.png"><p>cid:logo@shop',
    attachments: [picture('logo@shop'), picture('a b'), picture('back'), picture('bill@shop', { contentType: 'text/html' })],
  });
  await mailbox.waitForCode({}, { timeout: 100 });
});
`;

let project: Project;
/** The results of the one run by the titles of its tests. The first test starts it. */
let results: Promise<ReadonlyMap<string, readonly Result[]>> | null = null;

beforeAll(async () => {
  project = await makePlaywrightProject();
  await project.write('report.spec.js', SPEC);
});
afterAll(() => project.remove());

/** Returns the attachments of one test in the report. */
async function attachmentsOf(title: string): Promise<Result['attachments']> {
  results ??= playwright(project, ['--workers=1']).then(resultsOf);
  return (await results).get(title)?.[0]?.attachments ?? [];
}

async function contentNamed(attachments: Result['attachments'], name: string): Promise<string> {
  const found = attachments.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return contentOf(found);
}

test('of a hundred mails the report has the last twenty, with their numbers, and the timeline has all', async () => {
  const attachments = await attachmentsOf('many');
  const pages = attachments.filter(({ contentType }) => contentType === 'text/html');
  const expected = Array.from({ length: 20 }, (_, at) => `mailbox mail ${81 + at}: News ${81 + at}`);
  expect(pages.map(({ name }) => name)).toEqual(expected);
  const { timeline, received, notShown, messages } = JSON.parse(await contentNamed(attachments, 'mailbox.json'));
  expect(timeline.filter((event: object) => 'came' in event)).toHaveLength(100);
  expect({ received, notShown, first: messages[0].subject }).toEqual({
    received: 100,
    notShown: 80,
    first: 'News 81',
  });
}, 180_000);

test('of many requests the overview has the last twenty, and says how many there were', async () => {
  const overview = JSON.parse(await contentNamed(await attachmentsOf('requests'), 'webhook.json'));
  expect(overview).toMatchObject({ received: 21, notShown: 1 });
  expect(overview.requests.map(({ body }: { body: string }) => Number(body))).toEqual(
    Array.from({ length: 20 }, (_, at) => at + 2),
  );
}, 180_000);

test('the page of a mail has the images that the mail brings, and loads nothing from elsewhere', async () => {
  const page = await contentNamed(await attachmentsOf('pictures'), 'mailbox mail 1: Your order');
  const data = `data:image/png;base64,${PIXEL}`;
  // The HTML of the frame is in an attribute, so escaped characters are escaped again.
  expect(page).toContain(`&#60;img src=&#34;${data}&#34;&#62;`);
  expect(page).toContain(`&#60;img src=&#34;${data}&#34; alt=&#34;x&#34;&#62;`);
  expect(page).toContain(`background:url(&#38;#34;${data}&#38;#34;)`);
  // Files that are missing or no images are left out. The text of the mail stays.
  expect(page).not.toContain('cid:bill@shop');
  expect(page).not.toContain('cid:nowhere@shop');
  expect(page).not.toContain('pixel.png');
  expect(page).toContain('&#60;p&#62;cid:logo@shop');
  expect(page).toContain('<iframe sandbox srcdoc=');
  expect(page).toContain("default-src 'none'");
  expect(page).toContain('Remote content is not shown.');
  expect(page).toContain('<a href="https://shop.test/track" target="_blank" rel="noopener noreferrer">');
  expect(page).toContain('logo@shop.png <small>image/png, 70 bytes</small>');
  expect(page).toContain('<details><summary>Text</summary><pre>Track it: https://shop.test/track');
}, 180_000);
