import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { run } from '../support/cli.ts';
import { failure, type StageTest } from './modes.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** The secret of RFC 6238 in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

/** Returns a base32 secret that no other test and no earlier run has used. */
function newSecret(): string {
  return randomBytes(20)
    .toString('hex')
    .replace(/[0189]/g, 'g')
    .toUpperCase();
}

/** Tests authenticators that the server stores and those that only the client knows. */
export function authenticatorSuite(test: StageTest): void {
  describe('an authenticator', () => {
    test('gives the code of its secret, and reports no wait if there was none', async ({ stage }) => {
      const uri = `otpauth://totp/Shop:ada?secret=${SECRET}&digits=8&period=60`;
      const [one, other] = [stage.client.authenticator(uri), stage.client.authenticator({ uri })];
      const code = await one.code({ minRemaining: 0, unique: 'none' });
      expect(code).toMatch(/^\d{8}$/);
      expect(one.lastWait).toBeNull();
      expect(await other.code({ minRemaining: 0, unique: 'none' })).toHaveLength(8);
      expect(one.id).toBeNull();
    });

    test('a handle gives the code of a time step once: a second code() waits, and says so', async ({ stage }) => {
      const one = stage.client.authenticator({ secret: newSecret(), period: 15 });
      const first = await one.code({ minRemaining: 3_000 });
      const error = await failure(one.code({ minRemaining: 0, timeout: 1_000 }));
      expect(error).toMatchObject({ name: 'TimeoutError', code: 'no_fresh_code' });
      expect(error.message).toMatch(
        /^The next code comes in \d+ ms, after the timeout of 1000 ms: this handle has already returned the code/,
      );
      expect(error.message).toContain("use `unique: 'none'`, which may repeat a code");
      expect(error.stack?.split('\n    at ')[1]).toContain('authenticator-suite.ts');
      expect(await one.code({ unique: 'none', minRemaining: 0 })).toBe(first);
      expect(one.lastWait).toBeNull();
      const told: (Error & { code?: string })[] = [];
      const listen = (warning: Error) => void told.push(warning);
      process.on('warning', listen);
      onTestFinished(() => void process.off('warning', listen));
      const waiting = one.code({ minRemaining: 0 });
      // The wait is told before it ends.
      await vi.waitFor(() => expect(told.map(({ code }) => code)).toContain('MAILCAP_CODE_WAITS'), { timeout: 2_000 });
      expect(one.lastWait).toBeNull();
      expect(told[0]?.message).toMatch(
        /^authenticator\.code\(\) now waits \d+ s for the next code: this handle has already/,
      );
      expect(told[0]?.message).toContain("use `unique: 'none'`");
      const second = await waiting;
      expect(second).not.toBe(first);
      expect(one.lastWait?.reason).toContain('has already returned the code of this time step');
      expect(one.lastWait?.ms).toBeGreaterThan(0);
    });

    test('three handles of one secret get a code at the same time', async ({ stage }) => {
      const secret = newSecret();
      const handles = [secret, secret.toLowerCase(), `otpauth://totp/ada?secret=${secret}`].map((one) =>
        stage.client.authenticator(one),
      );
      // Waits for a fresh code, so that it does not change during the test.
      await stage.client.authenticator(secret).code({ minRemaining: 10_000 });
      const codes = await Promise.all(handles.map((handle) => handle.code({ timeout: 3_000 })));
      expect(new Set(codes).size).toBe(1);
      expect(handles.map(({ lastWait }) => lastWait)).toEqual([null, null, null]);
    });

    test("with unique: 'machine' only one process gets the code of a time step: a retry or another worker gets the next one", async ({
      stage,
    }) => {
      const options = { secret: newSecret(), period: 60 };
      const program = `
        import { createClient } from './dist/src/client/index.js';
        const authenticator = createClient(${JSON.stringify({
          baseUrl: stage.proxy.url,
          apiKey: stage.mailcap.apiKey,
          workspaceId: stage.mailcap.workspaceId,
        })}).authenticator(${JSON.stringify(options)});
        console.log(await authenticator.code({ unique: 'machine', minRemaining: 20_000, timeout: 25_000 }));`;
      const other = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT }).exit;
      expect(other).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d{6}\n$/) });
      const one = stage.client.authenticator(options);
      expect(await failure(one.code({ unique: 'machine', minRemaining: 0, timeout: 1_000 }))).toMatchObject({
        code: 'no_fresh_code',
        message: expect.stringMatching(/a test on this machine has already got.*\n.*a secret that only this test uses/),
      });
      expect(`${await one.code({ minRemaining: 0 })}\n`).toBe(other.stdout);
    }, 180_000);

    test('gives no code that is valid for less than five seconds by default', async ({ stage }) => {
      const one = stage.client.authenticator({ secret: newSecret(), period: 30 });
      const stepEndsAt = Math.ceil(Date.now() / 30_000) * 30_000 + 30_000;
      onTestFinished(() => void vi.useRealTimers());
      // Fakes the clock of the client, which runs in the same process as the server.
      vi.useFakeTimers({ toFake: ['Date'], now: stepEndsAt - 4_000 });
      const error = await failure(one.code({ timeout: 500 }));
      expect(error.message).toMatch(/valid for only \d+ ms, less than 5000 ms/);
      vi.setSystemTime(stepEndsAt - 7_000);
      expect(await one.code({ timeout: 500 })).toMatch(/^\d{6}$/);
    });

    test('gives no code that is valid for less than the option asks', async ({ stage }) => {
      const one = stage.client.authenticator({ secret: newSecret(), period: 15 });
      const code = await one.code({ minRemaining: 13_000 });
      expect(await one.code({ unique: 'none', minRemaining: 8_000 })).toBe(code);
      const error = await failure(one.code({ unique: 'none', minRemaining: 15_001, timeout: 300 }));
      expect(error.message).toMatch(/valid for only \d+ ms, less than 15001 ms/);
    });

    test('a secret that is none, or an unknown option, is an error that does not show it', async ({ stage }) => {
      const error = await failure((async () => stage.client.authenticator('not base32!'))());
      expect(error).toMatchObject({ code: 'invalid_option' });
      expect(error.message).not.toContain('not base32!');
      const one = stage.client.authenticator(SECRET);
      // @ts-expect-error there is no such option
      await expect(one.code({ minimum: 1 })).rejects.toThrow('"minimum"');
    });
  });
}
