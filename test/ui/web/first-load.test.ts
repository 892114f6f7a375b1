import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unless } from '../../support/unless.ts';
import { type InboxFixture, NO_BROWSER, openInbox } from './open-inbox.ts';

unless(describe, NO_BROWSER)('the first load of the web inbox', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox();
    for (let count = 1; count <= 120; count++) await fixture.mail({ subject: `Mail ${count}` });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test.each([
    ['gzip', 60_000, 51_000],
    ['br', 56_000, 45_000],
  ] as const)(
    'the page loads in %s less than %i bytes until the list is shown, less than %i of them code',
    async (encoding, most, ours) => {
      const { page, context } = await fixture.open('#/tools');
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      await session.send('Network.setCacheDisabled', { cacheDisabled: true });
      await session.send('Network.setExtraHTTPHeaders', { headers: { 'Accept-Encoding': encoding } });
      const encodings = new Set<string | undefined>();
      session.on('Network.responseReceived', ({ response }) => encodings.add(response.headers['Content-Encoding']));
      const paths = new Map<string, string>();
      const loaded: (readonly [path: string, bytes: number])[] = [];
      session.on('Network.requestWillBeSent', ({ requestId, request }) =>
        paths.set(requestId, new URL(request.url).pathname),
      );
      session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
        loaded.push([paths.get(requestId) ?? '', encodedDataLength]),
      );
      await page.goto('about:blank');
      // What the first page loaded late does not count.
      loaded.length = 0;
      encodings.clear();
      await page.goto(fixture.server.url);
      await page.getByRole('option', { name: /Mail 120/ }).waitFor();
      // The API's answers for the visible rows come after the list; the page is done when nothing is under way.
      await page.waitForLoadState('networkidle');
      expect(encodings).toEqual(new Set([encoding, undefined]));
      const sum = (part: typeof loaded) => part.reduce((total, [, bytes]) => total + bytes, 0);
      expect(sum(loaded)).toBeLessThan(most);
      // The rest is what the server says of the mails on the screen: the first of it stands in the page itself.
      expect(sum(loaded.filter(([path]) => path.startsWith('/assets/')))).toBeLessThan(ours);
      expect(loaded.map(([path]) => path)).not.toContain('/_mailcap/info');
      expect(loaded.filter(([path]) => path.endsWith('/messages'))).toEqual([]);
      // The first load leaves out the code of an open message, of dialogs and of other pages.
      const script = expect.stringMatching(/^\/assets\/app-/);
      expect(loaded.map(([path]) => path).filter((path) => path.endsWith('.js'))).toEqual([script]);
      await context.close();
    },
  );

  test('a page that is opened while the server is away says so, and shows itself when the server is back', async () => {
    const { page, context } = await fixture.open();
    await page.getByRole('option', { name: /Mail 120/ }).waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByText('The code of this view could not be loaded').waitFor();
    // The rest of the page works on.
    await page.getByRole('link', { name: 'Mail', exact: true }).click();
    await page.getByRole('option', { name: /Mail 120/ }).waitFor();
    await page.getByRole('link', { name: 'Tools' }).click();
    await page.getByText('The code of this view could not be loaded').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('tab', { name: /Faults/ }).waitFor();
    await context.close();
  });
});
