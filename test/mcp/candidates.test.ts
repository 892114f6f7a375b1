import { expect, test } from 'vitest';
import type { MessageDetailResponse } from '../../src/client/index.ts';
import { messageResult } from '../../src/mcp/results.ts';

const message = (textBody: string): MessageDetailResponse =>
  ({
    ...{ id: 'M', from: 'app@x.test', to: 'ada@x.test', cc: null, bcc: null, replyTo: null, subject: 'Hi', textBody },
    ...{ htmlBody: null, headersJson: null, attachments: [], receivedAt: '2026-01-01T00:00:00.000Z', sizeBytes: 1 },
  }) as unknown as MessageDetailResponse;

test('an agent that asked for a link reads the candidates with their reasons if several are equally likely', () => {
  const text =
    'Verify your email: https://x.test/a/abcdef0123456789\nReset your password: https://x.test/b/abcdef9876543210\n';
  const { link, content } = messageResult(message(text), { fenceId: 'abc', extract: 'link' });
  expect(link).toBeNull();
  expect(content).toContain('- verify https://x.test/a/abcdef0123456789: unsure, the words before it say "verify"');
  expect(content).toContain("Describe the link: link('verify') or link('reset').");
});

test('an agent that asked for a code reads why a number is no code', () => {
  const { code, content } = messageResult(message('Order number: 99127743'), { fenceId: 'abc', extract: 'code' });
  expect(code).toBeNull();
  expect(content).toMatch(/- 99127743: no, .*"order number"/);
});
