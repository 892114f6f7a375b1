import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, has } from '../support/programs.ts';
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
  // What a project sets for its pages changes no mail.
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
  await page.setContent('<h1>Hello</h1>');
  await expect(page).toHaveScreenshot('page.png');
  await expect(page.locator('h1')).toHaveScreenshot('heading.png', { timeout: 9000 });
  await plain(page).toHaveScreenshot('page.png');
  await page.setContent('<h1>Goodbye</h1>');
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

const WRITING = ['--update-snapshots=missing'];
const FOUR = ['dark-desktop', 'dark-phone', 'light-desktop', 'light-phone'];

async function run(project: Project, title: string, args: readonly string[] = [], env = {}): Promise<Report> {
  return playwright(project, ['--workers=1', '--grep', `${title}$`, ...args], env);
}

async function shotsOf(project: Project, prefix: string): Promise<string[]> {
  const all = await readdir(join(project.directory, 'shots'), { recursive: true });
  return all.filter((name) => name.startsWith(prefix)).sort();
}

describe.skipIf(!has('chromium')).each(VERSIONS)('with Playwright: %s', (version) => {
  let project: Project;
  let removeOldest = async () => {};

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
  }, 180_000);
  afterAll(async () => {
    await project?.remove();
    await removeOldest();
  });

  test('the first run writes a file for each scheme and width, the second passes, a changed mail fails, and an update mends it', async () => {
    const first = await run(project, ' named');
    expect(
      failuresOf(first).filter((said) => /A snapshot doesn't exist at .*, writing actual/.test(said)),
    ).toHaveLength(4);
    expect(await shotsOf(project, 'welcome')).toEqual(FOUR.map((name) => `welcome-${name}.png`));
    expect(failuresOf(await run(project, ' named'))).toEqual([]);

    const changed = await run(project, ' named', [], { WORD: 'Goodbye' });
    const [failure = ''] = failuresOf(changed);
    expect(failure).toContain('"Welcome" looks different in 4 of 4 screenshots:');
    expect(failure).toContain('Snapshot: welcome-dark-phone.png');
    const [result] = resultsOf(changed).get('named') ?? [];
    const images = (result?.attachments ?? []).filter(({ contentType }) => contentType === 'image/png');
    expect(images.map(({ name }) => name).sort()).toEqual(
      FOUR.flatMap((name) => ['actual', 'diff', 'expected'].map((kind) => `welcome-${name}-${kind}.png`)),
    );

    expect(failuresOf(await run(project, ' named', ['--update-snapshots'], { WORD: 'Goodbye' }))).toEqual([]);
    expect(failuresOf(await run(project, ' named', [], { WORD: 'Goodbye' }))).toEqual([]);
    expect(failuresOf(await run(project, ' named'))).toHaveLength(1);
    expect(failuresOf(await run(project, ' named', ['--update-snapshots']))).toEqual([]);
  }, 600_000);

  test('light and dark differ, and so do the widths, whatever the project sets for its pages', async () => {
    await run(project, ' named', WRITING);
    const [darkDesktop, darkPhone, lightDesktop, lightPhone] = await Promise.all(
      FOUR.map((name) => sizeOf(project, `welcome-${name}.png`)),
    );
    expect([darkDesktop?.width, darkPhone?.width, lightDesktop?.width, lightPhone?.width]).toEqual([
      800, 375, 800, 375,
    ]);
    expect(darkDesktop?.bytes.equals(lightDesktop?.bytes ?? Buffer.of())).toBe(false);
    expect(darkPhone?.bytes.equals(lightPhone?.bytes ?? Buffer.of())).toBe(false);
  }, 300_000);

  test.each([
    [
      'without a name it has the title and its number',
      'un/named',
      'un-named',
      ['un-named-1-light-phone', 'un-named-2-dark-wide'],
    ],
    ['what is masked may differ', 'masked', 'codes/', FOUR.map((name) => `codes/masked-${name}`)],
    ['a mail of text alone is its text', 'text', 'text', FOUR.map((name) => `text-${name}`)],
    [
      'an expect and a test of the user’s own have it, beside the one of pages',
      'own',
      'own',
      [...FOUR.slice(2).map((name) => `own-${name}`), 'own-page'],
    ],
    ['pages and locators keep Playwright’s own', 'pages', 'page', ['page']],
  ])(
    '%s',
    async (_claim, title, prefix, files) => {
      await run(project, ` ${title}`, WRITING);
      expect(await shotsOf(project, prefix)).toEqual(files.map((name) => `${name}.png`));
      expect(failuresOf(await run(project, ` ${title}`))).toEqual([]);
    },
    300_000,
  );

  test('under not a mail passes that looks different, and one that looks the same fails', async () => {
    await run(project, ' named', WRITING);
    expect(failuresOf(await run(project, ' not'))).toEqual([]);
    const [failure = ''] = failuresOf(await run(project, ' not the same'));
    expect(failure).toContain('"Welcome" was to look different in 4 of 4 screenshots:');
    const soft = failuresOf(await run(project, ' soft'));
    expect(soft).toHaveLength(1);
    expect(soft[0]).toContain('looks different in 4 of 4');
  }, 300_000);

  test('a mail that calls out makes no request', async () => {
    const asked: string[] = [];
    const beacon = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    beacon.on('connection', () => asked.push('a connection'));
    onTestFinished(() => void beacon.close());
    const { port } = beacon.address() as AddressInfo; // a TCP listener's address is never a string
    const env = { BEACON: `http://127.0.0.1:${port}` };
    await run(project, ' caller', WRITING, env);
    expect(await shotsOf(project, 'caller')).toHaveLength(4);
    expect(failuresOf(await run(project, ' caller', [], env))).toEqual([]);
    expect(asked).toEqual([]);
  }, 300_000);

  test('an option that is not known, or has a wrong value, is refused', async () => {
    expect(failuresOf(await run(project, ' bad'))).toEqual([]);
  }, 180_000);
});

/** Reads a PNG and its width (RFC 2083 4.1.1). */
async function sizeOf({ directory }: Project, name: string): Promise<{ bytes: Buffer; width: number }> {
  const bytes = await readFile(join(directory, 'shots', name));
  return { bytes, width: bytes.readUInt32BE(16) };
}
