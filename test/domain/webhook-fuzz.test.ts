import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forwardedHeaders } from '../../src/domain/captured-request.ts';
import { ApiError } from '../../src/domain/errors.ts';
import { changeSettings, defaultSettings, parseScriptedResponses } from '../../src/domain/webhook.ts';
import { PLANS } from '../../src/domain/workspace.ts';
import { targetFor } from '../../src/webhooks/exchange.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';

const plan = PLANS.business;

/** Returns the result of a rule, or null if the rule refuses the value. */
function orRefused<T>(rule: () => T): T | null {
  try {
    return rule();
  } catch (error) {
    // Any other error means that the rule is broken.
    if (error instanceof ApiError && error.status === 400) return null;
    throw error;
  }
}

const text = fc.oneof(fc.string(), anyText(), fc.webUrl(), fc.constantFrom('async', 'text/html'));
const value = fc.oneof(text, fc.integer(), fc.double(), fc.anything());

test('any settings are refused with a code, or can be answered and forwarded to', () => {
  const fields = Object.keys(defaultSettings(plan));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), value), (given) => {
      const settings = orRefused(() => changeSettings(defaultSettings(plan), given, plan));
      if (settings === null) return;
      expect(settings.responseContentType ?? '').not.toMatch(/[\r\n\0]/);
      if (settings.forwardMode !== 'off') expect(settings.forwardUrl).not.toBeNull();
      if (settings.forwardUrl !== null) expect(new URL(settings.forwardUrl).protocol).toMatch(/^https?:$/);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test('any scripted answers are refused, or contain no header that would become two', () => {
  const answer = fc.record(
    { status: value, headers: fc.dictionary(text, value), body: value, delayMs: value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(value, fc.array(fc.oneof(answer, value))), (given) => {
      for (const response of orRefused(() => parseScriptedResponses(given)) ?? []) {
        const headers = 'drop' in response ? {} : response.headers;
        for (const [name, content] of Object.entries(headers)) expect(name + content).not.toMatch(/[\r\n\0]/);
      }
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test('no header that Connection names is forwarded', () => {
  const token = fc.stringMatching(/^[A-Za-z0-9-]{1,12}$/).filter((name) => !/^mailcap-hops$/i.test(name));
  const target = { origin: 'http://x.test', path: '/' };
  fc.assert(
    fc.property(fc.array(fc.tuple(token, fc.string())), fc.array(token), (headers, named) => {
      const all = [...headers, ['Connection', named.join(' ,')] as const];
      const sent = forwardedHeaders(all, target)?.map(([name]) => name.toLowerCase()) ?? [];
      for (const name of [...named, 'Connection', 'Host']) expect(sent).not.toContain(name.toLowerCase());
    }),
  );
});

test('a target is always below the origin of forwardUrl, and holds path and query byte for byte', () => {
  const path = fc.stringMatching(/^\/[!-~]*$/).filter((given) => !given.includes('?') && !given.includes('#'));
  const query = fc.option(fc.stringMatching(/^[!-~]*$/));
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true }), path, query, (forwardUrl, sub, given) => {
      const target = targetFor(forwardUrl, { path: sub, query: given });
      expect(target.origin).toBe(new URL(forwardUrl).origin);
      expect(target.path.startsWith('/')).toBe(true);
      expect(target.path.endsWith(given === null ? '' : given)).toBe(true);
      if (sub !== '/') expect(target.path).toContain(sub);
    }),
  );
});
