import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { serve } from '../faults/served.ts';
import { attacked } from './attacked.ts';

const directory = mkdtempSync(join(tmpdir(), 'mailcap-guesses-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const TOKEN = 'admin-token-of-the-test';
const GUESSES = 500;
const CONNECTIONS = 100;
const MOST_HELD_FOR_CLIENT = 8;

test('a client that guesses the admin token on 100 connections holds up nobody who has it', async () => {
  const served = await serve(directory, '--host', '0.0.0.0', '--admin-token', TOKEN);
  const guesser = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const owner = new Agent({ keepAlive: true });
  const ask = (agent: Agent, token: string): Promise<number> =>
    new Promise((resolve) => {
      const headers = { authorization: `Bearer ${token}` };
      const req = request(`${served.ready.url}/_mailcap/info`, { agent, headers }, (res) => {
        res.resume();
        res.once('end', () => resolve(res.statusCode ?? 0));
      });
      req.on('error', () => resolve(0));
      req.end();
    });
  try {
    await attacked(served, '500 wrong admin tokens on 100 connections', async () => {
      let refused = 0;
      const guesses = Array.from({ length: GUESSES }, async (_, index) => {
        if ((await ask(guesser, `wrong-token-number-${index}`)) === 401) refused++;
        if (index % 100 === 99) expect(await ask(owner, TOKEN)).toBe(200);
      });
      // The held answers come at last, so the attacker hangs up before.
      await expect.poll(() => refused).toBeGreaterThanOrEqual(GUESSES - MOST_HELD_FOR_CLIENT);
      guesser.destroy();
      await Promise.all(guesses);
    });
    const lines = served.stderr().match(/^.* warn .*wrong admin token.*$/gm) ?? [];
    expect(lines).toHaveLength(9);
    expect(lines.at(-1)).toMatch(/ warn {2}a wrong admin token client=127\.0\.0\.1 count=256$/);
  } finally {
    guesser.destroy();
    owner.destroy();
    expect(await served.end('SIGTERM')).toBe(0);
  }
});
