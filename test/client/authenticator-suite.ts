import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { run } from '../support/cli.ts';
import { failure, type StageTest } from './modes.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** RFC 6238's, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** Base32 that no other test has, nor an earlier run of this one. */
function newSecret(): string {
  return randomBytes(20)
    .toString('hex')
    .replace(/[0189]/g, 'g')
    .toUpperCase();
}

/** How an authenticator behaves, whether the server has it or not. */
export function authenticatorSuite(test: StageTest): void {
  describe('an authenticator', () => {
    test('gives the code its secret stands for, and says nothing of a wait there was not', async ({ stage }) => {
      const uri = `otpauth://totp/Shop:ada?secret=${SECRET}&digits=8&period=60`;
      const [one, other] = [await stage.client.authenticator(uri), await stage.client.authenticator({ uri })];
      const code = await one.code({ minRemaining: 0, fresh: false });
      expect(code).toMatch(/^\d{8}$/);
      expect(one.lastWait).toBeNull();
      expect(await other.code({ minRemaining: 0, fresh: false })).toHaveLength(8);
      expect(one.id === null).toBe(stage.mode === 'cloud');
      await one.delete();
    });

    test('hands out each step once, whoever asks: a second code is waited for, and it says so', async ({ stage }) => {
      const secret = newSecret();
      const [one, other] = [
        await stage.client.authenticator({ secret, period: 15 }),
        await stage.client.authenticator({ secret: secret.toLowerCase(), period: 15 }),
      ];
      const first = await one.code({ minRemaining: 3_000 });
      const error = await failure(other.code({ minRemaining: 0, timeout: 1_000 }));
      expect(error).toMatchObject({ name: 'TimeoutError', code: 'no_fresh_code' });
      expect(error.message).toContain('handed out already');
      expect(error.stack?.split('\n    at ')[1]).toContain('authenticator-suite.ts');
      const second = await other.code({ minRemaining: 0 });
      expect(second).not.toBe(first);
      expect(other.lastWait).toMatchObject({ reason: 'the code of this step was handed out already' });
      expect(other.lastWait?.ms).toBeGreaterThan(0);
      expect(await one.code({ fresh: false, minRemaining: 0 })).toBe(second);
    });

    test('hands out each step to one process alone: a retry, or the worker beside it, gets the next', async ({
      stage,
    }) => {
      const options = { secret: newSecret(), period: 60 };
      const program = `
        import { createClient } from './dist/src/client/index.js';
        const authenticator = await createClient(${JSON.stringify({
          baseUrl: stage.proxy.url,
          apiKey: stage.mailcap.apiKey,
          workspaceId: stage.mailcap.workspaceId,
        })}).authenticator(${JSON.stringify(options)});
        console.log(await authenticator.code({ minRemaining: 20_000, timeout: 25_000 }));`;
      const other = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT }).exit;
      expect(other).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{6}\n$/) });
      const one = await stage.client.authenticator(options);
      expect(await failure(one.code({ minRemaining: 0, timeout: 1_000 }))).toMatchObject({
        code: 'no_fresh_code',
        message: expect.stringContaining('handed out already'),
      });
      expect(`${await one.code({ fresh: false, minRemaining: 0 })}\n`).toBe(other.stdout);
    }, 60_000);

    test('gives none that lasts less than five seconds where nothing is asked for', async ({ stage }) => {
      const one = await stage.client.authenticator({ secret: newSecret(), period: 30 });
      const stepEndsAt = Math.ceil(Date.now() / 30_000) * 30_000 + 30_000;
      onTestFinished(() => void vi.useRealTimers());
      // The clock of the client, which is the server's too.
      vi.useFakeTimers({ toFake: ['Date'], now: stepEndsAt - 4_000 });
      const error = await failure(one.code({ timeout: 500 }));
      expect(error.message).toMatch(/good for \d+ ms more, less than 5000/);
      vi.setSystemTime(stepEndsAt - 7_000);
      expect(await one.code({ timeout: 500 })).toMatch(/^\d{6}$/);
    });

    test('gives none that lasts less than asked for', async ({ stage }) => {
      const one = await stage.client.authenticator({ secret: newSecret(), period: 15 });
      const code = await one.code({ minRemaining: 13_000 });
      expect(await one.code({ fresh: false, minRemaining: 8_000 })).toBe(code);
      const error = await failure(one.code({ fresh: false, minRemaining: 15_001, timeout: 300 }));
      expect(error.message).toMatch(/good for \d+ ms more, less than 15001/);
    });

    test('a secret that is none, or an unknown option, is an error that does not show it', async ({ stage }) => {
      const error = await failure(stage.client.authenticator('not base32!'));
      expect(error).toMatchObject({ code: 'invalid_option' });
      expect(error.message).not.toContain('not base32!');
      const one = await stage.client.authenticator(SECRET);
      // @ts-expect-error there is no such option
      await expect(one.code({ minimum: 1 })).rejects.toThrow('"minimum"');
    });
  });
}
