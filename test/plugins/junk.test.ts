import { expect as base, describe, onTestFinished } from 'vitest';
import { Attempt } from '../../plugins/shared/attempt.ts';
import * as matchers from '../../plugins/shared/matchers.ts';
import type { MailcapMatchers } from '../../plugins/vitest/matchers.ts';
import { OptionError } from '../../src/client/index.ts';
import { failure, type Stage, testsOf } from '../client/modes.ts';

base.extend({ ...matchers });
const expect = base as typeof base & ((subject: unknown) => MailcapMatchers & { readonly not: MailcapMatchers });
const test = testsOf('local');

const OPTIONS = { timeout: 1_000, isolation: undefined, title: 'a test' };

/** Returns a test attempt with this many milliseconds left. */
function attemptAt({ client }: Stage, leftMs = 60_000): Attempt {
  const limit = () => "the test's own timeout";
  const step = <T>(_title: string, _site: unknown, act: () => Promise<T>) => act();
  const attempt = new Attempt(client, { advice: () => null, leftMs: () => leftMs, limit, step }, OPTIONS);
  onTestFinished(() => attempt.dispose({ outcome: 'passed', error: null }));
  return attempt;
}

/** A call without types, because JavaScript can pass what the types refuse. */
type Call = (...args: unknown[]) => Promise<unknown>;
const untyped = <T>(handle: T) => handle as { readonly [Name in keyof T]: Call };

const JUNK = [null, 5, /x/, [], () => false, { junk: 1 }, Symbol('x')] as const;

describe('junk is an OptionError', () => {
  test('passed to the handles of a test, whose waits end in time', async ({ stage }) => {
    const attempt = attemptAt(stage);
    const mailbox = await attempt.createMailbox();
    await stage.put(mailbox, {}, 'Your code is 481516: https://x.test/verify');
    const [one, hook] = [untyped(mailbox), untyped(await attempt.createWebhook())];
    const authenticator = untyped(await attempt.totp('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'));
    for (const junk of [...JUNK, { timeout: 'x' }, { signal: {} }]) {
      const calls = [
        one.waitForMessage(junk),
        one.waitForMessage({}, junk),
        one.waitForMessages(1, junk),
        one.waitForMessages(1, {}, junk),
        one.waitForMessages([junk]),
        one.waitForCode({}, junk),
        one.waitForLink({}, junk),
        one.expectNoMessage(junk, { for: 1 }),
        one.expectNoMessage({}, junk),
        one.expectNoMessage({}, { for: [junk] }),
        hook.waitForRequest(junk),
        hook.waitForRequests(1, {}, junk),
        hook.expectNoRequest({}, junk),
        authenticator.code(junk),
        untyped(attempt).createMailbox({ name: junk }),
      ];
      const errors = await Promise.all(calls.map(failure));
      for (const [at, error] of errors.entries()) base.soft(error, `call ${at}`).toBeInstanceOf(OptionError);
    }
    // None of the calls has consumed the mail.
    expect(await mailbox.waitForCode()).toBe('481516');
  });

  test('passed to matchers, and the error points at the line of the expect', async ({ stage }) => {
    const attempt = attemptAt(stage);
    const mailbox = await attempt.createMailbox();
    await stage.put(mailbox, {}, 'https://x.test/verify');
    const message = await mailbox.waitForMessage();
    const at = async (act: () => unknown) => failure((async () => act())());
    for (const junk of JUNK.filter((one) => typeof one !== 'symbol')) {
      const its = junk as never;
      const errors = [
        await at(() => expect(mailbox).toHaveReceived(its)),
        await at(() => expect(mailbox).not.toHaveReceived(its)),
        await at(() => expect(mailbox).toHaveReceived({}, its)),
        await at(() => expect(mailbox).not.toHaveReceived({}, its)),
        await at(() => expect(mailbox).toStayEmpty(its)),
        await at(() => expect(message).toHaveLink(its)),
        await at(() => expect(message).not.toHaveLink(its)),
        await at(() => expect(junk).toHaveLink()),
        await at(() => expect(junk).toStayEmpty({ for: 1 })),
        await at(() => expect(junk).toHaveReceived()),
        ...(junk instanceof RegExp ? [] : [await at(() => expect(message).toHaveCode(its))]),
        ...(junk instanceof RegExp ? [] : [await at(() => expect(message).toHaveAttachment(its))]),
      ];
      for (const error of errors) {
        base.soft(error).toBeInstanceOf(OptionError);
        base.soft(error.stack?.split('\n').find((line) => /^\s+at /.test(line))).toContain('junk.test.ts');
      }
    }
  });
});

test('the error of a shortened wait says so, also without a timeout of its own', async ({ stage }) => {
  const attempt = attemptAt(stage, 10);
  const authenticator = await attempt.totp('MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U');
  const { message } = await failure(authenticator.code({ minRemaining: 600_000 }));
  expect(message).toContain('has no timeout of its own. It ended after 8 ms');
  expect(message).toContain("before the test's own timeout.");
  expect(message).not.toContain('Infinity');
});

test('totp() refuses options, which belong to code()', async ({ stage }) => {
  const totp: (...given: [string, object]) => unknown = (...given) => attemptAt(stage, 1_000).totp(...given);
  expect(() => totp('MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U', { unique: 'none' })).toThrow(OptionError);
});

test('a code may use half of the time that the test has left, at least until the next time step', async ({ stage }) => {
  const attempt = attemptAt(stage, 4_000);
  expect(await attempt.totp('MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U').code()).toMatch(/^[0-9]{6}$/);
});
