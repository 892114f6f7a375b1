import { quotedInShell } from '../../../src/text/in-shell.ts';
// Snippets that a user pastes into a test or a script so that it waits for a message like this one.

/** The fields of a message that a snippet needs to find a similar one. */
export interface WantedMessage {
  readonly subject: string;
  readonly mailboxId: string;
  readonly subdomain: string;
  /** True if the mail contains a verification code. */
  readonly code: boolean;
  /** The kind of the link that a person would click; null if the mail has none. */
  readonly linkKind: string | null;
}

export const TEST_KINDS = ['Playwright', 'Vitest', 'curl', 'Shell'] as const;
export type TestKind = (typeof TEST_KINDS)[number];

/** Returns the snippet of this kind that waits for the message. `url` is the server's base URL. */
export function asTest(message: WantedMessage, kind: TestKind, url: string): string {
  const filter = message.subject === '' ? '' : `{ subject: ${quoted(message.subject)} }`;
  const wanted = message.code ? 'waitForCode' : message.linkKind === null ? 'waitForMessage' : 'waitForLink';
  const name = message.code ? 'code' : message.linkKind === null ? 'message' : 'link';
  switch (kind) {
    case 'Playwright':
      return [
        `import { expect, test } from 'mailcap/playwright';`,
        '',
        `test(${quoted(message.subject || 'a mail comes')}, async ({ page, mailbox }) => {`,
        `  await page.goto('/');`,
        `  await page.getByLabel('Email').fill(mailbox.address);`,
        `  const ${name} = await mailbox.${wanted}(${filter});`,
        name === 'link' ? '  await page.goto(link);' : `  expect(${name}).toBeTruthy();`,
        '});',
      ].join('\n');
    case 'Vitest':
      return [
        `import { expect } from 'vitest';`,
        `import { test } from 'mailcap/vitest';`,
        '',
        `test(${quoted(message.subject || 'a mail comes')}, async ({ mailbox }) => {`,
        `  await signUp(mailbox.address);`,
        `  const ${name} = await mailbox.${wanted}(${filter});`,
        `  expect(${name}).toBeTruthy();`,
        '});',
      ].join('\n');
    case 'curl': {
      const query = message.subject === '' ? '' : ` --data-urlencode ${shellWord(`subject=${message.subject}`)}`;
      return `curl -fsSG ${url}/_mailcap/mailboxes/${message.mailboxId}/await${query} -d timeout=30`;
    }
    case 'Shell': {
      const subject = message.subject === '' ? '' : ` --subject ${shellWord(message.subject)}`;
      const what = message.code ? ' --code' : message.linkKind === null ? '' : ' --link';
      return `npx mailcap messages wait --mailbox ${message.subdomain}${subject}${what}`;
    }
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&').replace(/[\r\n\u2028\u2029]+/g, ' ')}'`;
}

function shellWord(text: string): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  return /^[\w@%+=:,./-]+$/.test(line) ? line : quotedInShell(line);
}
