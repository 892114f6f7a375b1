import { expect, test } from 'vitest';
import type { StoreHealth } from '../../src/ports/store.ts';
import { ailingStore } from '../support/ailing-store.ts';
import { temporaryDirectory } from '../support/cli.ts';
import { command } from '../support/command.ts';
import { startServer } from '../support/mailcap.ts';

const SENTENCES = [
  ['disk_full', /has a full disk .*: make some, or delete messages\.\n/],
  ['storage_lost', /data directory is gone or was replaced: stop it and start it again\.\n/],
  ['storage_unavailable', /a write to its disk failed: see the server's log and check the disk\.\n/],
] as const satisfies readonly (readonly [StoreHealth, RegExp])[];

test.for(SENTENCES)('`mailcap health` and `mailcap status` say %s in one sentence', async ([health, sentence]) => {
  const ailing = ailingStore();
  await using server = await startServer({ overrides: { store: ailing.store } });
  ailing.health = health;
  const cwd = await temporaryDirectory();
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
  const asked = await command(['health'], { cwd, env });
  const status = await command(['status'], { cwd, env });
  const asJson = await command(['status', '--json'], { cwd, env });
  expect([asked.code, asked.stdout]).toEqual([1, '']);
  expect(asked.stderr).toMatch(sentence);
  expect(asked.stderr.trim().split('\n')).toHaveLength(1);
  expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(sentence)]);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ storage: health });
});

test('`mailcap status` does not mention a healthy storage', async () => {
  await using server = await startServer();
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey };
  const { code, stdout } = await command(['status'], { cwd: await temporaryDirectory(), env });
  expect(code).toBe(0);
  expect(stdout).toContain('Version');
  expect(stdout).not.toContain('Storage');
});
