import { describe, expect, test } from 'vitest';
import {
  applicable,
  type CountedFault,
  consumed,
  type FaultEvent,
  MAX_FAULTS,
  parseFaults,
  remaining,
} from '../../src/domain/fault.ts';
import { type FaultId, type MailboxId, parseUlid } from '../../src/domain/ids.ts';

const BOX = '01JD5Z3V8W0123456789ABCDEF';
const REPLY = { reply: '451 4.7.1 try later' };
const rcpt = (rest: object = {}) => ({ stage: 'rcpt', action: REPLY, ...rest });
const http = (action: object, rest: object = {}) => ({ stage: 'http', action, ...rest });

describe('parseFaults', () => {
  test.each<[string, unknown]>([
    ['no object', 'rcpt'],
    ['null', null],
    ['a list', []],
    ['no stage', { action: REPLY }],
    ['an unknown stage', { stage: 'quit', action: REPLY }],
    ['no action', { stage: 'rcpt' }],
    ['an action that does nothing', rcpt({ action: {} })],
    ['an action that only does not drop', rcpt({ action: { drop: false } })],
    ['an unknown action', rcpt({ action: { reply: '451 x', delay: 5 } })],
    ['a reply and a drop', rcpt({ action: { reply: '451 x', drop: true } })],
    ['a drop that is no boolean', rcpt({ action: { drop: 1 } })],
    ['a reply that accepts', rcpt({ action: { reply: '250 ok' } })],
    ['a reply without a code', rcpt({ action: { reply: 'try later' } })],
    ['a reply that runs into its code', rcpt({ action: { reply: '4511' } })],
    ['a reply of two lines', rcpt({ action: { reply: '451 x\r\n250 y' } })],
    ['a reply that is too long', rcpt({ action: { reply: `451 ${'x'.repeat(500)}` } })],
    ['a reply of HTTP', rcpt({ action: { reply: { status: 503 } } })],
    ['a negative delay', rcpt({ action: { delayMs: -1 } })],
    ['a broken delay', rcpt({ action: { delayMs: 1.5 } })],
    ['a delay over ten minutes', rcpt({ action: { delayMs: 600_001 } })],
    ['no times', rcpt({ times: 0 })],
    ['half a time', rcpt({ times: 0.5 })],
    ['times as text', rcpt({ times: '2' })],
    ['a probability over 1', rcpt({ probability: 1.1 })],
    ['a negative probability', rcpt({ probability: -0.1 })],
    ['times and probability', rcpt({ times: 1, probability: 0.5 })],
    ['a match that is no object', rcpt({ match: '*@slow.*' })],
    ['a match of an unknown key', rcpt({ match: { subject: 'x' } })],
    ['a match of a key the stage does not know', { stage: 'mail', match: { to: '*' }, action: REPLY }],
    ['a match of HTTP', rcpt({ match: { path: '/v1/*' } })],
    ['a match that is no text', rcpt({ match: { to: 5 } })],
    ['an empty match', rcpt({ match: { to: '' } })],
    ['a match that is too long', rcpt({ match: { to: 'x'.repeat(1_001) } })],
    ['a mailbox that is no id', rcpt({ mailboxId: 'sign-up' })],
    ['two mailboxes', rcpt({ mailboxId: BOX, match: { mailboxId: BOX.replace('F', 'G') } })],
    ['a mailbox before any is known', { stage: 'helo', mailboxId: BOX, action: REPLY }],
    ['an HTTP status below 200', http({ reply: { status: 101 } })],
    ['an HTTP status over 599', http({ reply: '600 x' })],
    ['an HTTP reply without a status', http({ reply: { body: 'x' } })],
    ['an HTTP reply of an unknown member', http({ reply: { status: 503, text: 'x' } })],
    ['a body where there is none', http({ reply: { status: 204, body: 'x' } })],
    ['a header that is no text', http({ reply: { status: 503, headers: { 'Retry-After': 1 } } })],
    ['a header name of two', http({ reply: { status: 503, headers: { 'a\r\nb': 'x' } } })],
    ['a header of two lines', http({ reply: { status: 503, headers: { a: 'x\r\nb: y' } } })],
    ['a header that says where the body ends', http({ reply: { status: 503, headers: { 'content-length': '1' } } })],
    ['headers that are none', http({ reply: { status: 503, headers: [] } })],
  ])('%s is invalid_faults, and index says which', (_what, rule) => {
    expect(() => parseFaults([rcpt(), rule, 'worse'])).toThrow(
      expect.objectContaining({
        code: 'invalid_faults',
        extra: { index: 1, message: expect.stringMatching(/^\S.+ .+\.$/) },
      }),
    );
  });

  test(`more than ${MAX_FAULTS} rules are invalid_faults`, () => {
    const rules = Array.from({ length: MAX_FAULTS }, () => rcpt());
    expect(parseFaults(rules)).toHaveLength(MAX_FAULTS);
    expect(() => parseFaults([...rules, rcpt()])).toThrow(
      expect.objectContaining({ extra: { index: MAX_FAULTS, message: 'There are more than 1000 rules.' } }),
    );
  });

  test('null counts as omitted', () => {
    const bare = { match: null, mailboxId: null, times: null, probability: null };
    expect(parseFaults([rcpt({ ...bare, action: { ...REPLY, delayMs: null, drop: null } })])).toEqual(
      parseFaults([rcpt()]),
    );
  });

  test('a mailbox may stand in match or beside it, in either case', () => {
    const [within] = parseFaults([rcpt({ match: { mailboxId: BOX } })]);
    const [beside] = parseFaults([rcpt({ mailboxId: BOX.toLowerCase() })]);
    expect(within?.mailboxId).toBe(BOX);
    expect(beside).toEqual(within);
  });

  test.each<[unknown, unknown]>([
    ['503 try later', { status: 503, body: 'try later', headers: { 'Content-Type': 'text/plain; charset=utf-8' } }],
    ['503', { status: 503, body: '', headers: {} }],
    [{ status: 204 }, { status: 204, body: '', headers: {} }],
    [
      { status: 429, body: { error: 'x' }, headers: { 'Retry-After': '1' } },
      {
        status: 429,
        body: '{"error":"x"}',
        headers: { 'Retry-After': '1', 'Content-Type': 'application/json; charset=utf-8' },
      },
    ],
    [
      { status: 500, body: '<p>', headers: { 'content-type': 'text/html' } },
      { status: 500, body: '<p>', headers: { 'content-type': 'text/html' } },
    ],
  ])('the HTTP reply %j says its body and what that is', (reply, expected) => {
    expect(parseFaults([http({ reply })])[0]?.action.reply).toEqual(expected);
  });
});

describe('applicable', () => {
  const ID = '01JD5Z3V8W0123456789ABCDEF' as FaultId;
  const event: FaultEvent = {
    stage: 'rcpt',
    texts: { to: 'a@sLOW.test', from: '<>', user: null, clientAddress: '127.0.0.1' },
    mailboxIds: ['01JD5Z3V8W0123456789ABCDEF'].map((id) => parseUlid<MailboxId>(id)).filter((id) => id !== null),
  };
  const counted = (...rules: unknown[]): CountedFault[] =>
    parseFaults(rules).map((rule) => ({ id: ID, rule, applied: 0 }));
  const never = () => {
    throw new Error('no dice are rolled');
  };

  test.each<[string, object, boolean]>([
    ['nothing to match', {}, true],
    ['another stage', { stage: 'mail' }, false],
    ['a glob that matches', { match: { to: '*@slow.*' } }, true],
    ['a glob in another case', { match: { to: 'A@Slow.Test' } }, true],
    ['a glob that does not', { match: { to: '*@fast.*' } }, false],
    ['one of two that does not', { match: { to: '*@slow.*', clientAddress: '10.*' } }, false],
    ['the null sender', { match: { from: '<>' } }, true],
    ['what is not known', { match: { user: '*' } }, false],
    ['its mailbox', { mailboxId: BOX }, true],
    ['another mailbox', { mailboxId: BOX.replace('F', 'G') }, false],
  ])('a rule with %s', (_what, rest, applies) => {
    expect(applicable(counted(rcpt(rest)), event, never)).toBe(applies ? 0 : -1);
  });

  test('a rule applies to several recipients if it matches one of them', () => {
    const faults = counted({ stage: 'end', match: { to: '*@slow.*' }, action: REPLY });
    const to = (...texts: string[]): FaultEvent => ({ stage: 'end', texts: { to: texts }, mailboxIds: [] });
    expect(applicable(faults, to('a@fast.test', 'b@slow.test'), never)).toBe(0);
    expect(applicable(faults, to('a@fast.test'), never)).toBe(-1);
    expect(applicable(faults, to(), never)).toBe(-1);
  });

  test('the first rule that applies is used; a used-up rule leaves it to the next', () => {
    const faults = counted(rcpt({ times: 2 }), rcpt({ times: 1 }), rcpt({ match: { to: 'x' } }), rcpt());
    const met: number[] = [];
    for (let n = 0; n < 5; n++) {
      const index = applicable(faults, event, never);
      met.push(index);
      const fault = faults[index];
      if (fault !== undefined) faults[index] = consumed(fault);
    }
    expect(met).toEqual([0, 0, 1, 3, 3]);
    expect(faults.map(remaining)).toEqual([0, 0, null, null]);
    expect(faults.map(({ applied }) => applied)).toEqual([2, 1, 0, 2]);
  });

  test.each([
    [0.5, 0.49, 0],
    [0.5, 0.5, 1],
    [0, 0, 1],
    [1, 0.999, 0],
  ])('of probability %d with a roll of %d it is rule %d', (probability, roll, index) => {
    expect(applicable(counted(rcpt({ probability }), rcpt()), event, () => roll)).toBe(index);
  });
});
