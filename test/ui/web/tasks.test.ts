import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { byDay } from '../../support/night.ts';
import { unless } from '../../support/unless.ts';
import { clipboard, type InboxFixture, NO_BROWSER, openInbox, unreadIn } from './open-inbox.ts';

/** Counts what a person does: a click, a key with its modifiers, or a text that is typed at once. */
class Hands {
  count = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator, options: Parameters<Locator['click']>[0] = {}): Promise<void> {
    this.count++;
    await target.click(options);
  }

  async press(key: string): Promise<void> {
    this.count++;
    await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    this.count++;
    await this.page.keyboard.type(text);
  }

  async choose(target: Locator, label: string): Promise<void> {
    this.count++;
    await target.selectOption({ label });
  }
}

interface Task {
  readonly task: string;
  /** The actions that the page of Mailpit takes, counted in the same way. Null if it can't do it. */
  readonly mailpit: number | null;
  /** Begins with the open message, in place of the list. */
  readonly isOpen?: true;
  readonly act: (hands: Hands, page: Page) => Promise<void>;
  /** Waits for the result. */
  readonly done: (page: Page) => Promise<unknown>;
  readonly stands?: true;
}

const row = (page: Page, subject: string) => page.getByRole('option', { name: new RegExp(subject) });
const tab = (page: Page, name: string) => page.getByRole('tab', { name });
const downloaded = new WeakMap<Page, Promise<string>>();
const noteDownload = (page: Page) =>
  downloaded.set(
    page,
    page.waitForEvent('download').then((download) => download.suggestedFilename()),
  );

const TASKS: readonly Task[] = [
  {
    task: 'open a message',
    mailpit: 1,
    act: (hands, page) => hands.click(row(page, 'Your code')),
    done: (page) => page.getByRole('heading', { name: 'Your code' }).waitFor(),
  },
  {
    // In Mailpit: open the message, select the code with a double click, copy it.
    task: 'copy the code of the newest message',
    mailpit: 3,
    stands: true,
    act: (hands) => hands.press('c'),
    done: (page) => expect.poll(() => clipboard(page)).toBe('730218'),
  },
  {
    task: 'open the next message',
    mailpit: 1,
    isOpen: true,
    act: (hands) => hands.press('n'),
    done: (page) => page.getByRole('heading', { name: 'Invoice' }).waitFor(),
  },
  {
    task: 'read the text of a message with HTML',
    mailpit: 1,
    isOpen: true,
    act: (hands, page) => hands.click(tab(page, 'Text')),
    done: (page) => page.locator('.text-body').getByText('730218').waitFor(),
  },
  {
    task: 'read the headers',
    mailpit: 1,
    isOpen: true,
    act: (hands, page) => hands.click(tab(page, 'Headers')),
    done: (page) => page.getByRole('row', { name: /Message-ID/i }).waitFor(),
  },
  {
    task: 'read the source',
    mailpit: 1,
    isOpen: true,
    act: (hands, page) => hands.click(tab(page, 'Source')),
    done: (page) => page.locator('pre.source').waitFor(),
  },
  {
    task: 'look at a message at the width of a phone',
    mailpit: 1,
    isOpen: true,
    act: (hands, page) => hands.click(page.getByRole('button', { name: 'Phone', exact: true })),
    done: (page) => expect.poll(() => page.locator('.view iframe').boundingBox()).toMatchObject({ width: 390 }),
  },
  {
    task: 'look at a message in the dark of Outlook',
    mailpit: null,
    isOpen: true,
    act: (hands, page) =>
      hands.choose(page.getByRole('combobox', { name: 'Simulated dark mode' }), 'Outlook.com and apps'),
    done: (page) => page.getByText('A simulation by published rules.').waitFor(),
  },
  {
    task: 'see what mail programs do not support',
    mailpit: 1,
    isOpen: true,
    stands: true,
    act: (hands, page) => hands.click(tab(page, 'Checks')),
    done: (page) => page.getByRole('status', { name: 'Score' }).waitFor(),
  },
  {
    task: 'check the links',
    mailpit: 2,
    isOpen: true,
    act: async (hands, page) => {
      await hands.click(tab(page, 'Links'));
      await hands.click(page.getByRole('button', { name: /^Check \d/ }));
    },
    done: (page) => page.getByText('1 address checked').waitFor(),
  },
  {
    // In Mailpit: click into the field, type, Enter.
    task: 'search for a subject',
    mailpit: 3,
    stands: true,
    act: async (hands) => {
      await hands.press('/');
      await hands.type('subject:invoice');
    },
    done: (page) => expect.poll(() => page.getByRole('option').count()).toBe(1),
  },
  {
    // In Mailpit: click into the field, type is:unread, Enter.
    task: 'see unread messages alone',
    mailpit: 3,
    act: (hands, page) => hands.click(page.getByRole('button', { name: 'Unread', exact: true })),
    done: (page) => expect.poll(() => new URL(page.url()).hash).toContain('q=is%3Aunread'),
  },
  {
    // In Mailpit: click, confirm.
    task: 'mark all messages as read',
    mailpit: 2,
    act: (hands, page) => hands.click(page.getByRole('button', { name: 'Mark all as read' })),
    done: (page) => expect.poll(() => unreadIn(page)).toBe(0),
  },
  {
    task: 'delete the open message',
    mailpit: 1,
    isOpen: true,
    act: (hands, page) => hands.click(page.getByRole('button', { name: 'Delete', exact: true })),
    done: (page) => page.getByRole('heading', { name: 'Invoice' }).waitFor(),
  },
  {
    task: 'take a deletion back',
    mailpit: null,
    isOpen: true,
    act: async (hands) => {
      await hands.press('d');
      await hands.press('z');
    },
    done: (page) => page.getByRole('heading', { name: 'Your code' }).waitFor(),
  },
  {
    // In Mailpit: ctrl-click, shift-click, Delete.
    task: 'delete some messages',
    mailpit: 3,
    stands: true,
    act: async (hands, page) => {
      await hands.click(row(page, 'Your code'), { modifiers: ['ControlOrMeta'] });
      await hands.click(row(page, 'Invoice'), { modifiers: ['Shift'] });
      await hands.press('d');
    },
    done: (page) => expect.poll(() => page.getByRole('option').count()).toBe(1),
  },
  {
    // In Mailpit: Delete all, confirm.
    task: 'empty the mailbox',
    mailpit: 2,
    act: async (hands) => {
      await hands.press('ControlOrMeta+a');
      await hands.press('d');
    },
    done: (page) => expect.poll(() => page.getByRole('option').count()).toBe(0),
  },
  {
    // In Mailpit: click into the field, type, Enter.
    task: 'tag a message',
    mailpit: 3,
    isOpen: true,
    act: async (hands) => {
      await hands.press('T');
      await hands.page.locator('#new-tag:focus').waitFor();
      await hands.type('spring');
      await hands.press('Enter');
    },
    done: (page) => page.getByRole('link', { name: 'spring' }).waitFor(),
  },
  {
    // In Mailpit: the menu of downloads, raw message.
    task: 'download the message',
    mailpit: 2,
    isOpen: true,
    act: (hands) => {
      noteDownload(hands.page);
      return hands.press('e');
    },
    done: async (page) => expect(await downloaded.get(page)).toMatch(/\.eml$/),
  },
  {
    task: 'download an attachment',
    mailpit: 1,
    isOpen: true,
    act: (hands, page) => {
      noteDownload(page);
      return hands.click(page.getByRole('button', { name: /Download.*prices\.csv|Download/ }).first());
    },
    done: async (page) => expect(await downloaded.get(page)).toBe('prices.csv'),
  },
  {
    // In Mailpit: the menu of downloads, screenshot.
    task: 'save a picture of the message',
    mailpit: 2,
    isOpen: true,
    stands: true,
    act: (hands, page) => {
      noteDownload(page);
      return hands.click(page.getByRole('button', { name: 'Save a picture (PNG)' }));
    },
    done: async (page) => expect(await downloaded.get(page)).toMatch(/\.png$/),
  },
  {
    // In Mailpit: Release, and Release in the dialog.
    task: 'release a message to its recipients',
    mailpit: 2,
    isOpen: true,
    act: async (hands, page) => {
      await hands.press('R');
      await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Send' }));
    },
    // The answer says that no server listens at the address of the relay.
    done: (page) =>
      page
        .getByRole('dialog')
        .getByText(/: deferred/)
        .waitFor(),
  },
  {
    // In Mailpit: the address of the page, select, copy.
    task: 'copy the link of a message',
    mailpit: 2,
    act: (hands) => hands.press('y'),
    done: (page) => expect.poll(() => clipboard(page)).toMatch(/#\/messages\/[0-9A-Z]{26}$/),
  },
  {
    // In Mailpit: open the message, its attachments stand at its end, click.
    task: 'look at the first attachment',
    mailpit: 2,
    act: (hands) => hands.press('a'),
    done: (page) => page.getByText('prices.csv').first().waitFor(),
  },
  {
    task: 'change the colours of the page',
    mailpit: 1,
    act: (hands, page) => hands.click(page.getByRole('button', { name: /^Colours/ })),
    done: (page) => expect.poll(() => page.locator('html').getAttribute('data-scheme')).toMatch(/./),
  },
];

unless(describe, NO_BROWSER)('the tasks of every day', { timeout: 180_000 }, () => {
  let fixture: InboxFixture;
  beforeAll(async () => {
    fixture = await openInbox({ relay: 'smtp://127.0.0.1:1' });
  }, 180_000);
  afterAll(() => fixture[Symbol.asyncDispose]());

  test('are twenty-five', () => {
    expect(TASKS).toHaveLength(25);
  });

  test.each(byDay(TASKS, ({ stands }) => stands === true))(
    '$task takes no more actions than in Mailpit',
    async ({ isOpen, act, done, mailpit }) => {
      const { server } = fixture;
      await server.reset();
      await fixture.mail({ subject: 'Welcome', text: 'Hello Ada' });
      await fixture.mail({ subject: 'Invoice', text: 'Please pay.' });
      await fixture.mail({
        subject: 'Your code',
        text: 'Your code is 730218.',
        html: `<div style="display:flex">Your code is <b>730218</b>. <a href="${server.url}/health">Help</a></div>`,
        attachments: [{ filename: 'prices.csv', content: 'a,b\n1,2\n' }],
      });
      const { page, context } = await fixture.open();
      // The code stands in the row as soon as it is known.
      await row(page, 'Your code').getByText('730218').first().waitFor();
      if (isOpen === true) {
        await row(page, 'Your code').click();
        await page.locator('.view iframe').waitFor();
        await page.locator('.attachments-below').waitFor();
      }
      const hands = new Hands(page);
      await act(hands, page);
      await done(page);
      expect(hands.count).toBeLessThanOrEqual(mailpit ?? 2);
      await context.close();
    },
  );
});
