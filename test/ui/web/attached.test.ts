import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { json } from '../../http/support.ts';
import { unless } from '../../support/unless.ts';
import { violationsOn } from './axe.ts';
import { clipboard, type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

const HOSTILE = '<img src=x onerror="document.title=1">\u202egnp.exe';
const INNERMOST =
  'Subject: Innermost\r\nFrom: deep@x.test\r\nContent-Type: text/plain\r\n\r\nThe deepest words.\r\nYour code is 730218.';
const INNER = [
  `Subject: =?utf-8?B?${Buffer.from(`Inner ${HOSTILE}`).toString('base64')}?=`,
  'From: Bob <bob@inner.test>\r\nTo: Carol <carol@inner.test>\r\nDate: Tue, 24 Nov 2020 10:00:00 +0000',
  'Content-Type: multipart/mixed; boundary=in\r\n',
  '--in\r\nContent-Type: multipart/alternative; boundary=alt\r\n',
  '--alt\r\n\r\nInner text https://inner.test/verify?t=abc123',
  '--alt\r\nContent-Type: text/html\r\n\r\n<h1>Inner HTML</h1><script>document.title=2</script><img src="http://elsewhere.test/a.png">',
  '--alt--',
  `--in\r\nContent-Type: message/rfc822; name=innermost.eml\r\n\r\n${INNERMOST}`,
  '--in\r\nContent-Type: application/pdf; name=a.pdf\r\n\r\nthe pdf\r\n--in--',
].join('\r\n');

unless(describe, NO_BROWSER)('an attached mail', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  let messageId: string;
  let innerId: string;
  beforeAll(async () => {
    fixture = await openInbox();
    const { server } = fixture;
    const raw = `Subject: The outer\r\nContent-Type: multipart/mixed; boundary=out\r\n\r\n--out\r\n\r\nSee attached.\r\n--out\r\nContent-Type: message/rfc822; name=inner.eml\r\n\r\n${INNER}\r\n--out--`;
    const path = `/_mailcap/mailboxes/${server.mailboxId}/messages`;
    const headers = { 'content-type': 'message/rfc822' };
    ({ id: messageId } = await json<{ id: string }>(server.api(path, { method: 'POST', headers, body: raw })));
    const content = await json<{ attachments: [{ id: string }] }>(
      server.api(`/_mailcap/messages/${messageId}/content`),
    );
    innerId = content.attachments[0].id;
    await fixture.mail({ subject: 'Newer' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('opens from its row as a mail of its own, also one within it, and back leads out again', async () => {
    const { page, complaints } = await fixture.open(`#/mail/${fixture.server.mailboxId}/${messageId}`);
    await page.getByRole('heading', { name: 'The outer' }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Open inner.eml' }).click();
    await page.getByRole('heading', { name: /^Inner <img src=x/ }).waitFor();
    expect(page.url()).toContain(`/${messageId}?attached=${innerId}`);
    const head = await page.locator('.message-head').innerText();
    expect(head).toMatch(/Bob <bob@inner\.test>\s+To\s+Carol <carol@inner\.test>\s+Date\s+24 Nov 2020, 10:00:00$/);
    expect(await page.locator('main').innerText()).not.toContain('\u202e');
    await page.getByRole('navigation', { name: 'The mail around this one' }).getByText('The outer').waitFor();
    const frame = page.frameLocator('.view iframe');
    await frame.getByRole('heading', { name: 'Inner HTML' }).waitFor();
    expect(await frame.locator('script, img[src^=http]').count()).toBe(0);
    await page.getByText('Remote content from 1 host is blocked').waitFor();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.getByText('Inner text').waitFor();
    await page.getByRole('region', { name: 'Codes and links' }).getByText('Verify', { exact: true }).waitFor();
    expect(await page.getByRole('tab').allInnerTexts()).toEqual([
      ...['HTML', 'Text', 'Headers', 'Parts', 'Source', expect.stringMatching(/^Attachments\s*2$/)],
    ]);
    await page.getByRole('tab', { name: 'Attachments' }).click();
    // Only a mail opens in the place of this one.
    await page.getByRole('button', { name: 'Open a.pdf' }).click();
    await page.getByText('The file is no PDF').waitFor();
    await page.getByRole('button', { name: 'Open innermost.eml' }).click();
    await page.getByText('The deepest words.').waitFor();
    expect(page.url()).toContain(`attached=${innerId}.0`);
    await page.keyboard.press('c');
    await expect.poll(() => clipboard(page)).toBe('730218');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open innermost.eml' }).waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('heading', { name: 'The outer' }).waitFor();
    await page.getByRole('button', { name: 'Open inner.eml' }).waitFor();
    await page.goBack();
    await page.goBack();
    await page.getByText('The deepest words.').waitFor();
    await page.keyboard.press('N');
    await page.getByRole('heading', { name: 'Newer' }).waitFor();
    expect(page.url()).not.toContain('attached');
    expect(complaints).toEqual([]);
  });

  test('has a permanent address, its exact source, and can be saved as a file', async () => {
    const { page, complaints } = await fixture.open(`#/messages/${messageId}/source?attached=${innerId}.0`);
    await page.getByRole('heading', { name: 'Innermost' }).waitFor();
    await expect.poll(() => page.locator('pre.source').textContent()).toBe(INNERMOST.replaceAll('\r', ''));
    await page.keyboard.press('y');
    await expect
      .poll(() => clipboard(page))
      .toBe(`${fixture.server.url}/#/messages/${messageId}?attached=${innerId}.0`);
    const download = page.waitForEvent('download');
    await page.keyboard.press('e');
    expect((await download).suggestedFilename()).toBe('Innermost.eml');
    expect(complaints).toEqual([]);
  });

  test('without a file name has its subject for a name, also in a digest and in the name of its file', async () => {
    const { server } = fixture;
    const parts = ['First of two', 'Second of two'].map((subject) => `Subject: ${subject}\r\n\r\nx`);
    const report = 'Content-Type: message/delivery-status\r\n\r\nFinal-Recipient: rfc822; ada@x.test';
    const raw = [
      'Subject: Digest\r\nContent-Type: multipart/mixed; boundary=out\r\n',
      `--out\r\nContent-Type: message/rfc822\r\n\r\n${parts[0]}\r\n--out\r\nContent-Type: message/rfc822\r\n`,
      `${parts[1]}\r\n--out\r\nContent-Type: message/rfc822\r\n\r\nFrom: a@x.test\r\n\r\nx\r\n--out\r\n${report}\r\n--out--`,
    ].join('\r\n');
    const path = `/_mailcap/mailboxes/${server.mailboxId}/messages`;
    const headers = { 'content-type': 'message/rfc822' };
    const { id } = await json<{ id: string }>(server.api(path, { method: 'POST', headers, body: raw }));
    const { page, complaints } = await fixture.open(`#/mail/${server.mailboxId}/${id}`);
    const names = page.locator('.attachments-below .about strong');
    await expect
      .poll(() => names.allInnerTexts())
      .toEqual(['First of two', 'Second of two', 'Attached mail', 'Delivery report']);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download Second of two' }).click();
    expect((await download).suggestedFilename()).toBe('Second of two.eml');
    await page.getByRole('button', { name: 'Open Second of two' }).click();
    await page.getByRole('heading', { name: 'Second of two' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('that is no mail or was deleted says so, and back leads to the message', async () => {
    const { page } = await fixture.open(`#/mail/${fixture.server.mailboxId}/${messageId}?attached=${innerId}.1`);
    await page.getByText('There is no such attached mail.').waitFor();
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.getByRole('button', { name: 'Open innermost.eml' }).waitFor();
  });

  test.each([
    [390, 'light'],
    [820, 'dark'],
    [1_440, 'light'],
  ] as const)('fits a page of %i pixels in the %s, and is accessible', async (width, scheme) => {
    const hash = `#/mail/${fixture.server.mailboxId}/${messageId}/text?attached=${innerId}`;
    const { page } = await fixture.open(hash, { width, scheme });
    await page.getByText('Inner text').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await violationsOn(page)).toEqual([]);
  });
});
