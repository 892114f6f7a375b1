import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { blockOf } from '../support/pages.ts';
import { CHROMIUM, lacking } from '../support/programs.ts';
import { unless } from '../support/unless.ts';
import {
  failuresOf,
  installOldest,
  makePlaywrightProject,
  OLDEST,
  playwright,
  type Report,
  resultsOf,
  VERSIONS,
} from './playwright-project.ts';
import type { Project } from './project.ts';

const CONFIG = `export default {
  snapshotPathTemplate: '{testDir}/shots/{arg}{ext}',
  // A project's settings for its pages change no mail.
  use: { colorScheme: 'dark', viewport: { width: 111, height: 222 }, deviceScaleFactor: 3,
    launchOptions: { executablePath: '${CHROMIUM}', args: ['--no-sandbox'] } },
};
`;

const MAIL = `const MAIL = (word = 'Welcome') => \`<!doctype html><html><head><meta name="color-scheme" content="light dark">
  <style>@media (prefers-color-scheme: dark) { h1 { background: #113311; color: white } }
  @media (max-width: 600px) { h1 { font-size: 60px } } @keyframes turn { to { transform: rotate(1turn) } }</style></head>
  <body><h1 style="animation: turn 1s infinite">\${word}</h1><input value="x" autofocus></body></html>\`;`;

const SPEC = `import { expect as plain } from '@playwright/test';
import { expect, test } from 'mailcap/playwright';
import { send } from './app.js';
${MAIL}
const mailOf = async (mailbox, html) => {
  await send(mailbox.address, 'Welcome', 'Hello', { html });
  return mailbox.waitForMessage();
};
test('named', async ({ mailbox }) => {
  await expect(await mailOf(mailbox, MAIL(process.env.WORD))).toHaveScreenshot('welcome.png');
});
test('un/named', async ({ mailbox }) => {
  const message = await mailOf(mailbox, MAIL());
  await expect(message).toHaveScreenshot({ widths: { phone: 320 }, schemes: ['light'] });
  await expect(message).toHaveScreenshot({ widths: { wide: 700 }, schemes: ['dark'] });
});
test('masked', async ({ mailbox }) => {
  const code = String(Math.random()).slice(2, 8);
  const message = await mailOf(mailbox, '<p>Your code is</p><p class="code" style="width:300px">' + code + '</p>');
  await expect(message).toHaveScreenshot(['codes', 'masked'], { mask: '.code' });
});
test('text', async ({ mailbox }) => {
  await send(mailbox.address, 'Plain', 'Hello <b>Ada</b>');
  await expect(await mailbox.waitForMessage()).toHaveScreenshot('text.png');
});
test('not', async ({ mailbox }) => {
  await expect(await mailOf(mailbox, MAIL('Bye'))).not.toHaveScreenshot('welcome.png');
});
test('not the same', async ({ mailbox }) => {
  await expect(await mailOf(mailbox, MAIL())).not.toHaveScreenshot('welcome.png');
});
test('soft', async ({ mailbox }) => {
  await expect.soft(await mailOf(mailbox, MAIL('Bye'))).toHaveScreenshot('welcome.png');
});
test('caller', async ({ mailbox }) => {
  const at = process.env.BEACON;
  const message = await mailOf(mailbox, '<link rel=preconnect href="' + at + '/p"><link rel=stylesheet href="' + at + '/c">' +
    '<meta http-equiv=refresh content="0;url=' + at + '/r"><style>@import "' + at + '/i"; @font-face { font-family: f; src: url(' + at + '/f) }</style>' +
    '<p style="font-family: f; background: url(' + at + '/b)">Hello</p><img src="' + at + '/img"><img srcset="' + at + '/s 2x">' +
    '<iframe src="' + at + '/if"></iframe><video poster="' + at + '/v" src="' + at + '/w" autoplay></video><object data="' + at + '/o"></object>' +
    '<script>fetch("' + at + '/js"); new Image().src = "' + at + '/j2"</script><svg><image href="' + at + '/sv"></image></svg>' +
    '<img src=x onerror="fetch(\\'' + at + '/on\\')"><input type=image src="' + at + '/in"><table background="' + at + '/tb"><tr><td>x</table>');
  await expect(message).toHaveScreenshot('caller.png');
});
test('pages', async ({ page }) => {
  await page.setContent('<h1 style="background: red">Hello</h1>');
  await expect(page).toHaveScreenshot('page.png');
  await expect(page.locator('h1')).toHaveScreenshot('heading.png', { timeout: 9000 });
  await plain(page).toHaveScreenshot('page.png');
  await page.setContent('<h1 style="background: blue">Goodbye</h1>');
  await expect(page).not.toHaveScreenshot('page.png');
});
test('bad', async ({ mailbox }) => {
  const message = await mailOf(mailbox, '<p>x</p>');
  const said = async (...args) => expect(message).toHaveScreenshot(...args).then(() => 'passed', ({ message }) => message);
  for (const args of [[{ width: 3 }], [{ widths: { a: 0 } }], [{ widths: { '../x': 5 } }], [{ schemes: [] }], [{ mask: 3 }], ['a', { name: 5 }], [7]])
    expect(await said(...args)).toMatch(/toHaveScreenshot|must be/);
  expect(await said('x.png', { threshold: 'much' })).not.toBe('passed');
});
`;

/** The same matchers in an `expect` and a `test` of the user's own. */
const OWN = `import { mergeExpects, expect as base, test as plain } from '@playwright/test';
import { expect as withMail, fixtures } from 'mailcap/playwright';
import { send } from './app.js';
const expect = mergeExpects(base.extend({}), withMail);
const test = plain.extend(fixtures);
test('own', async ({ mailbox, page }) => {
  await send(mailbox.address, 'Welcome', 'Hello', { html: '<p>Hello</p>' });
  await expect(await mailbox.waitForMessage()).toHaveScreenshot('own.png', { schemes: ['light'] });
  await page.setContent('<p>Hello</p>');
  await expect(page).toHaveScreenshot('own-page.png');
});
`;

const FOUR = ['dark-desktop', 'dark-phone', 'light-desktop', 'light-phone'];
/** The snapshots of the first run. */
const FILES = [
  ...FOUR.map((name) => `caller-${name}.png`),
  ...FOUR.map((name) => `codes/masked-${name}.png`),
  'heading.png',
  'own-light-desktop.png',
  'own-light-phone.png',
  'own-page.png',
  'page.png',
  ...FOUR.map((name) => `text-${name}.png`),
  'un-named-1-light-phone.png',
  'un-named-2-dark-wide.png',
  ...FOUR.map((name) => `welcome-${name}.png`),
];
const TITLES = 'bad,caller,masked,named,not,not the same,own,pages,soft,text,un/named'.split(',');
/** The titles of the tests that compare with the snapshots of another test. */
const COMPARING = ['not', 'not the same', 'soft'];

unless(describe, lacking('chromium')).each(VERSIONS)('with Playwright: %s', (version) => {
  let project: Project;
  let removeOldest = async () => {};
  let beacon: Server;
  let second: Report;
  const asked: string[] = [];

  beforeAll(async () => {
    let instead = {};
    if (version === OLDEST) {
      const oldest = await installOldest();
      instead = oldest.instead;
      removeOldest = oldest.remove;
    }
    project = await makePlaywrightProject(instead);
    await project.write('playwright.config.js', CONFIG);
    await project.write('mail.spec.js', SPEC);
    await project.write('own.spec.js', OWN);
    beacon = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    });
    beacon.on('connection', () => asked.push('a connection')).listen(0, '127.0.0.1');
    await once(beacon, 'listening');
  }, 180_000);
  afterAll(async () => {
    beacon?.close();
    await project?.remove();
    await removeOldest();
  });

  const beaconUrl = () => {
    const { port } = beacon.address() as AddressInfo; // a TCP listener's address is never a string
    return { BEACON: `http://127.0.0.1:${port}` };
  };
  /** Returns what a test of the second run failed with. */
  const said = (title: string) => (resultsOf(second).get(title) ?? []).flatMap(({ errors }) => errors);

  test('the first run writes a snapshot for each scheme and width, and says so', async () => {
    const first = await playwright(project, ['--grep-invert', ` (${COMPARING.join('|')})$`], beaconUrl());
    const written = failuresOf(first).filter((one) => /A snapshot doesn't exist at .*, writing actual/.test(one));
    expect(written).toHaveLength(FILES.length);
    expect(failuresOf(first)).toHaveLength(FILES.length);
    const all = await readdir(join(project.directory, 'shots'), { recursive: true });
    expect(all.filter((name) => name.endsWith('.png')).sort()).toEqual(FILES);
  }, 300_000);

  test('the second passes: mails named and not, masked, of text, under not; wrong options; an expect of the user’s own; pages', async () => {
    second = await playwright(project, [], beaconUrl());
    const failed = [...resultsOf(second)].filter(([, results]) => results.some(({ status }) => status !== 'passed'));
    expect(failed.map(([title]) => title).sort()).toEqual(['not the same', 'soft']);
    expect([...resultsOf(second).keys()].sort()).toEqual(TITLES);
  }, 300_000);

  test('an unchanged mail fails under not, and a soft failure is reported once', () => {
    expect(said('not the same')).toMatchObject([
      { message: expect.stringMatching(/"Welcome" should .* 4 of 4 screenshots:/) },
    ]);
    expect(said('soft')).toMatchObject([
      { message: expect.stringMatching(/"Welcome" (?!should ).* 4 of 4 screenshots:/) },
    ]);
  });

  test('a mail that tries to load from other hosts makes no request', () => {
    expect(resultsOf(second).get('caller')).toMatchObject([{ status: 'passed' }]);
    expect(asked).toEqual([]);
  });

  test('light and dark differ, and so do the widths, whatever the project sets for its pages', async () => {
    const shots = await Promise.all(
      FOUR.map((name) => readFile(join(project.directory, 'shots', `welcome-${name}.png`))),
    );
    // The width of a PNG (RFC 2083 4.1.1)
    expect(shots.map((bytes) => bytes.readUInt32BE(16))).toEqual([800, 375, 800, 375]);
    expect(new Set(shots.map((bytes) => bytes.toString('base64'))).size).toBe(4);
  });

  test('a mail that has changed fails with three images for each screenshot, and an update mends it', async () => {
    const env = { WORD: 'Goodbye' };
    const changed = await playwright(project, ['--grep', ' named$'], env);
    const [failure = ''] = failuresOf(changed);
    expect(failure).toContain('"Welcome" looks different in 4 of 4 screenshots:');
    expect(failure).toContain('welcome-dark-phone');
    const [result] = resultsOf(changed).get('named') ?? [];
    const images = (result?.attachments ?? []).filter(({ contentType }) => contentType === 'image/png');
    expect(images.map(({ name }) => name).sort()).toEqual(
      FOUR.flatMap((name) => ['actual', 'diff', 'expected'].map((kind) => `welcome-${name}-${kind}.png`)),
    );
    expect(failuresOf(await playwright(project, ['--grep', ' named$', '--update-snapshots'], env))).toEqual([]);
    expect(failuresOf(await playwright(project, ['--grep', ' named$'], env))).toEqual([]);
  }, 300_000);

  test('the test of docs/playwright.md passes, and compares with what it wrote', async () => {
    await project.write('docs.spec.js', blockOf('docs/playwright.md', 'looks'));
    expect(failuresOf(await playwright(project, ['docs.spec.js', '--update-snapshots']))).toEqual([]);
    expect(failuresOf(await playwright(project, ['docs.spec.js', '--update-snapshots=none']))).toEqual([]);
  }, 180_000);
});
