import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { pixelDifference } from '../../../ui/web/compare/pixel-diff.ts';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A mail with what mails are made of: tables, attributes, a style sheet, a picture, names of Word, a control character. */
const HTML = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:v="urn:schemas-microsoft-com:vml"><head><style>
.box > td { padding: 20px; background: #eef } @media (max-width: 500px) { .box > td { padding: 4px } }
@media (prefers-color-scheme: dark) { .box > td { background: #114; color: #fff } }</style></head>
<body style="margin:0" bgcolor="#ffffff"><o:p>Hello &amp; welcome\u000b</o:p><table width="100%" cellspacing="0"><tr class="box"><td v:ext="edit">
<img src="cid:pixel" width="40" height="40" alt=""> Cell</td></tr><tr><td><img src="cid:pixel" width="30" height="30" alt=""></td></tr></table>
<div style="height: 700px; background: #ffd">Below</div></body></html>`;

unless(describe, NO_BROWSER)('a picture of a mail', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (const context of fixture.browser.contexts()) await context.close();
    await fixture.server.reset();
  });

  const sendAndOpen = async (fields: Record<string, unknown> = {}) => {
    const attachments = [{ filename: 'p.png', cid: 'pixel', content: PIXEL }];
    await fixture.mail({ subject: 'Pictured', html: HTML, attachments, ...fields });
    const opened = await fixture.open('', { width: 1_440, height: 1_400 });
    await opened.page.getByRole('option', { name: /Pictured/ }).click();
    await opened.page.getByTitle('The mail', { exact: true }).waitFor();
    return opened;
  };
  const saved = async (page: Page): Promise<Buffer> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save a picture (PNG)' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^[0-9A-Z]{26}\.png$/i);
    return readFile(await download.path());
  };

  test.each(['Phone', 'Desktop'])(
    'is what the frame shows, but for edges of letters, at the width of %s',
    async (width) => {
      const { page, complaints } = await sendAndOpen();
      await page.getByRole('button', { name: width, exact: true }).click();
      const png = await saved(page);
      await page.getByText('Saved a picture of the mail').waitFor();
      const picture = await pixelsOf(page, png);
      const frame = page.getByTitle('The mail', { exact: true });
      const box = await frame.boundingBox();
      // The picture is as high as the mail, and the frame as the pane.
      const height = Math.min(picture.height, Math.floor(box?.height ?? 0));
      expect(height).toBeGreaterThan(500);
      const shot = await pixelsOf(page, await frame.screenshot());
      expect(picture.width).toBe(shot.width);
      const cut = ({ data }: { data: Uint8ClampedArray }) => data.slice(0, 4 * picture.width * height);
      const { differing } = pixelDifference(
        { width: picture.width, height, data: cut(shot) },
        { width: picture.width, height, data: cut(picture) },
      );
      // The edges of some letters are drawn a little otherwise. A layout that moved by a pixel would differ in thousands.
      expect(differing).toBeLessThan(0.0005 * picture.width * height);
      expect(complaints).toEqual([]);
    },
  );

  test('has the whole height of the mail, its dark colours where they are chosen, and names what is missing', async () => {
    const remote = '<img src="http://pictures.test/a.png" width="10" height="10" alt="">';
    const { page } = await sendAndOpen({
      html: HTML.replace('Below', `Below${remote}`).replace('700px', '3000px'),
    });
    await page.getByRole('button', { name: 'Show all of it' }).click();
    await page.getByRole('button', { name: 'Mail in the dark' }).click();
    const png = await saved(page);
    await page.getByText('without its remote content (1)').waitFor();
    const picture = await pixelsOf(page, png);
    expect(picture.height).toBeGreaterThan(3_000);
    expect(picture.height).toBeLessThan(3_200);
    // The cell of the table has the colour that the mail has in the dark.
    expect(colours(picture)).toContain('17,17,68');
  });

  test('with forced colours keeps those of the mail, and ends where the mail ends', async () => {
    const { page } = await sendAndOpen();
    await page.emulateMedia({ forcedColors: 'active' });
    const picture = await pixelsOf(page, await saved(page));
    expect(picture.height).toBeGreaterThan(700);
    expect(picture.height).toBeLessThan(1_000);
    expect(colours(picture)).toContain('255,255,221');
  });

  test('in a simulated dark mode has the colours that the frame has, and the view calls itself a simulation', async () => {
    const { page, complaints } = await sendAndOpen();
    const choice = page.getByRole('combobox', { name: 'Simulated dark mode' });
    await choice.selectOption({ label: 'Gmail on iOS' });
    await page.getByText('A simulation by published rules.').waitFor();
    const ground = page.frameLocator('[title="The mail"]').locator('body');
    await expect.poll(() => ground.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(0, 0, 0)');
    expect(colours(await pixelsOf(page, await saved(page)))).toContain('0,0,0');
    await choice.selectOption({ label: 'Outlook.com and apps' });
    await expect.poll(() => ground.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(51, 51, 51)');
    expect(complaints).toEqual([]);
  });

  test('two mails are compared by their pixels: the same, one word different, and one in the dark', async () => {
    for (const word of ['Below', 'Below', 'Under'])
      await fixture.mail({ subject: `With ${word}`, html: HTML.replace('Below', word) });
    const { page, complaints } = await fixture.open();
    await page.getByRole('option', { name: /With Under/ }).waitFor();
    const ids = await page.evaluate(
      'fetch("/_mailcap/messages").then((r) => r.json()).then(({ items }) => items.map(({ id }) => id))',
    );
    const [third, second, first] = ids as [string, string, string];
    await page.goto(`${fixture.server.url}/#/compare/${first}/${second}/pixels`);
    await page.getByText('No pixel differs.').waitFor();
    await page.goto(`${fixture.server.url}/#/compare/${second}/${third}/pixels`);
    const told = page.getByText(/% of the pixels differ, from \d+ to \d+ pixels below the top/);
    await told.waitFor();
    expect(await told.textContent()).toMatch(/^(?:Under 0\.1|0\.\d) %/);
    await page.goto(`${fixture.server.url}/#/compare/${first}/${second}/pixels`);
    await page.getByRole('combobox', { name: 'Right in' }).selectOption({ label: 'Dark' });
    await told.waitFor();
    await page.getByRole('button', { name: 'Right', exact: true }).click();
    await page.getByRole('img', { name: 'The right mail' }).waitFor();
    expect(complaints).toEqual([]);
  });
});

/** Reads a PNG with the browser. */
async function pixelsOf(page: Page, png: Buffer): Promise<{ width: number; height: number; data: Uint8ClampedArray }> {
  const text = await page.evaluate<string>(`(async () => {
    const image = new Image();
    image.src = 'data:image/png;base64,${png.toString('base64')}';
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const data = context.getImageData(0, 0, canvas.width, canvas.height).data;
    let binary = '';
    for (const byte of data) binary += String.fromCharCode(byte);
    return [canvas.width, canvas.height, btoa(binary)].join(' ');
  })()`);
  const [width, height, data = ''] = text.split(' ');
  return { width: Number(width), height: Number(height), data: new Uint8ClampedArray(Buffer.from(data, 'base64')) };
}

function colours({ data }: { data: Uint8ClampedArray }): Set<string> {
  const found = new Set<string>();
  for (let at = 0; at < data.length; at += 4) found.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
  return found;
}
