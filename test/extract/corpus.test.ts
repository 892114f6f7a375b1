import { describe, expect, test } from 'vitest';
import { findCodes } from '../../src/extract/codes.ts';
import { corpusMails, reportedMails } from './corpus.ts';

const MAILS = corpusMails();
const KINDS = ['verify', 'reset', 'magic', 'invite', 'unsubscribe', 'other'];
const languageOf = (tag: string) => tag.split('-', 1)[0];

describe('the corpus of mails with their right values', () => {
  test('has four hundred mails or more in forty languages or more, with and without codes', () => {
    expect(MAILS.length).toBeGreaterThanOrEqual(400);
    for (const some of [MAILS.filter(({ code }) => code !== null), MAILS.filter(({ links }) => links.length > 0)]) {
      expect(new Set(some.map(({ language }) => languageOf(language))).size).toBeGreaterThanOrEqual(40);
    }
    expect(new Set(MAILS.map(({ id }) => id)).size).toBe(MAILS.length);
  });

  test('has each right value in the mail itself', () => {
    for (const { id, subject, text, html, code, links } of MAILS) {
      const body = [subject, text ?? '', (html ?? '').replaceAll('&amp;', '&')].join('\n');
      for (const value of [...(code === null ? [] : [code]), ...links.map(({ url }) => url)]) {
        expect(body, id).toContain(value);
      }
      for (const { kind } of links) expect(KINDS, id).toContain(kind);
      expect(links.filter(({ main }) => main).length, id).toBeLessThanOrEqual(1);
    }
  });

  test('gives 97 of 100 codes or more, and never another one', async () => {
    const mails = [...MAILS, ...(await reportedMails())];
    const codes = (mail: (typeof mails)[number]) => findCodes(mail).filter(({ rank }) => rank === 1);
    const withCode = mails.filter(({ code }) => code !== null);
    const answers = withCode.map((mail) => ({
      id: mail.id,
      right: mail.code,
      found: codes(mail).map(({ code }) => code),
    }));
    expect(answers.filter(({ right, found }) => found.length === 1 && found[0] !== right)).toEqual([]);
    const right = answers.filter(({ right, found }) => found.length === 1 && found[0] === right);
    expect(right.length / withCode.length).toBeGreaterThanOrEqual(0.97);
    const without = mails.filter(({ code }) => code === null);
    expect(without.flatMap((mail) => codes(mail).map(({ code, reason }) => [mail.id, code, reason]))).toEqual([]);
  });
});
