import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headerBlock, readFields } from '../../src/mail/header-block.ts';
import { lastText, listText } from '../../src/mail/header-text.ts';
import { parseMail } from '../../src/mail/parse.ts';
import { parseMimeValue } from '../../src/mail/part.ts';
import { createMailScanner, scanMail } from '../../src/mail/scan.ts';
import { anyText } from '../support/any-text.ts';
import { propertyRuns } from '../support/night.ts';
import { processorMs } from '../support/processor-time.ts';
import { mailTree, type Tree, treeAttachments, writeTree } from './mail-tree.ts';

const CORPUS = join(import.meta.dirname, '..', 'corpus');
const MAILS = ['enmime', 'ruby-mail'].flatMap((folder) =>
  readdirSync(join(CORPUS, folder))
    .filter((name) => /\.(eml|raw)$/.test(name))
    .map((name) => readFileSync(join(CORPUS, folder, name)))
    .filter(({ length }) => length < 20_000),
);

/** A change that a broken or hostile sender could make to a mail. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(60),
  insert: fc.oneof(
    fc.constantFrom('', '\r\n', '\n', '\r', '\0', '--', '\r\n\r\n', ' ', ';', '"', '=', ':', '\xff', '\u2028'),
    fc.constantFrom('Content-Type: multipart/mixed; boundary=', 'Content-Disposition: attachment\r\n', 'boundary*0="'),
    anyText({ maxLength: 10 }),
  ),
});
const damaged = fc
  .tuple(fc.constantFrom(...MAILS), fc.array(damage, { minLength: 1, maxLength: 4 }))
  .map(([mail, damages]) =>
    damages.reduce((bytes, { at, length, insert }) => {
      const from = Math.floor(at * bytes.length);
      return Buffer.concat([bytes.subarray(0, from), Buffer.from(insert), bytes.subarray(from + length)]);
    }, mail),
  );
const cuts = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 10 });

function scanInPieces(raw: Buffer, lengths: readonly number[]) {
  const scanner = createMailScanner();
  for (let at = 0, turn = 0; at < raw.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1);
    scanner.write(Buffer.from(raw.subarray(at, end)));
    at = end;
  }
  return scanner.finish();
}

describe('a mail of any valid structure', () => {
  test('is scanned into the parts that it was built of, however deep and however cut, and the parser finds the same', async () => {
    await fc.assert(
      fc.asyncProperty(mailTree, cuts, async (tree: Tree, lengths) => {
        const raw = writeTree(tree);
        const scan = scanInPieces(raw, lengths);
        expect(scan).toMatchObject({ attachmentCount: treeAttachments(tree), limit: null });
        const { mail } = await parseMail(raw);
        expect(mail.parseError).toBeNull();
        expect(mail.attachments).toHaveLength(scan.attachmentCount);
      }),
      { numRuns: propertyRuns(200) },
    );
  });
});

describe('a real mail that was damaged', () => {
  test('is scanned in the same way however it is cut, and has as many attachments as the parser finds', async () => {
    await fc.assert(
      fc.asyncProperty(damaged, cuts, async (raw, lengths) => {
        const scan = scanMail(raw);
        expect(scanInPieces(raw, lengths)).toEqual(scan);
        const { mail } = await parseMail(raw);
        if (mail.parseError === null) expect(mail.attachments).toHaveLength(scan.attachmentCount);
      }),
      { numRuns: propertyRuns(350) },
    );
  });

  test('has a header whose fields are its own bytes, in order', () => {
    fc.assert(
      fc.property(damaged, (raw) => {
        const { block } = headerBlock(raw);
        expect(raw.subarray(0, block.length).equals(block)).toBe(true);
        let at = 0;
        for (const { name, value } of readFields(block, null).fields) {
          expect(name).toBe(name.toLowerCase().trim());
          const found = block.indexOf(value, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + value.length;
        }
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });

  test('shows texts without control characters', () => {
    fc.assert(
      fc.property(damaged, (raw) => {
        const { fields } = readFields(headerBlock(raw).block, null);
        for (const { name } of fields.slice(0, 20)) {
          for (const text of [lastText(fields, name), listText(fields, name)]) {
            expect(text ?? '').not.toMatch(/[\p{Cc}\u2028\u2029]/u);
            expect(text).not.toBe('');
          }
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

const VALUE_PIECES = [
  ...[
    'multipart/mixed',
    'text/plain',
    ';',
    ' ; ',
    '=',
    '"',
    '\\',
    "''",
    '*',
    '*0',
    '*0*',
    '*1',
    '%41',
    '(',
    ')',
    '\r\n ',
  ],
  ...[
    'boundary',
    'name',
    'charset',
    'filename',
    'utf-8',
    'a',
    '=?utf-8?Q?=41?=',
    '\xff',
    '\0',
    '__proto__',
    'toString',
  ],
];
const value = fc
  .array(fc.constantFrom(...VALUE_PIECES), { maxLength: 30 })
  .map((pieces) => Buffer.from(pieces.join(''), 'latin1'));

test('any value of a MIME header is read without an error, and a missing parameter is null', () => {
  fc.assert(
    fc.property(value, (bytes) => {
      const parsed = parseMimeValue(bytes);
      expect(typeof parsed.value).toBe('string');
      for (const name of ['boundary', 'name', 'charset', 'toString', '__proto__', 'constructor']) {
        const param = parsed.param(name);
        expect(param === null || (typeof param === 'string' && param !== '')).toBe(true);
      }
      expect(parsed.param('never-given')).toBeNull();
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test.each(VALUE_PIECES)('a MIME header that repeats %j takes linear time', (piece) => {
  const bytes = Buffer.from(`text/plain; a=${piece.repeat(200_000 / piece.length)}`, 'latin1');
  const start = processorMs();
  parseMimeValue(bytes);
  expect(processorMs() - start).toBeLessThan(1_000);
});
