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
  /** The number that got a text message; null for an email. */
  readonly phone: string | null;
}

export const TEST_KINDS = ['Playwright', 'Vitest', 'curl', 'Shell'] as const;
export type TestKind = (typeof TEST_KINDS)[number];

/** Returns the snippet of this kind that waits for the message. `url` is the server's base URL. */
export function asTest(message: WantedMessage, kind: TestKind, url: string): string {
  const filter = message.subject === '' ? '' : `{ subject: ${quoted(message.subject)} }`;
  const { phone } = message;
  const whole = phone === null ? 'waitForMessage' : 'waitForSms';
  const wanted = message.code ? 'waitForCode' : message.linkKind === null ? whole : 'waitForLink';
  const name = message.code ? 'code' : message.linkKind === null ? 'message' : 'link';
  const title = quoted(message.subject || (phone === null ? 'a mail comes' : 'a text comes'));
  // A mailbox gets the texts to the numbers that it claims.
  const fixture = phone === null ? 'mailbox' : 'createMailbox';
  const claim = phone === null ? [] : [`  const mailbox = await createMailbox({ phones: [${quoted(phone)}] });`];
  const address = phone === null ? 'mailbox.address' : quoted(phone);
  switch (kind) {
    case 'Playwright':
      return [
        `import { expect, test } from 'mailcap/playwright';`,
        '',
        `test(${title}, async ({ page, ${fixture} }) => {`,
        ...claim,
        `  await page.goto('/');`,
        `  await page.getByLabel('${phone === null ? 'Email' : 'Phone'}').fill(${address});`,
        `  const ${name} = await mailbox.${wanted}(${filter});`,
        name === 'link' ? '  await page.goto(link);' : `  expect(${name}).toBeTruthy();`,
        '});',
      ].join('\n');
    case 'Vitest':
      return [
        `import { expect } from 'vitest';`,
        `import { test } from 'mailcap/vitest';`,
        '',
        `test(${title}, async ({ ${fixture} }) => {`,
        ...claim,
        `  await signUp(${address});`,
        `  const ${name} = await mailbox.${wanted}(${filter});`,
        `  expect(${name}).toBeTruthy();`,
        '});',
      ].join('\n');
    case 'curl': {
      const query = message.subject === '' ? '' : ` --data-urlencode ${shellWord(`subject=${message.subject}`)}`;
      const sms = phone === null ? '' : ' -d kind=sms';
      return `curl -fsSG ${url}/_mailcap/mailboxes/${message.mailboxId}/await${query}${sms} -d timeout=30`;
    }
    case 'Shell': {
      const subject = message.subject === '' ? '' : ` --subject ${shellWord(message.subject)}`;
      const what = message.code ? ' --code' : message.linkKind === null ? '' : ' --link';
      const sms = phone === null ? '' : ' --sms';
      return `npx mailcap messages wait --mailbox ${message.subdomain}${sms}${subject}${what}`;
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
