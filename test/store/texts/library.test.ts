import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BlobRef, Message } from '../../../src/domain/message.ts';
import type { ParsedAttachment, ParsedMail } from '../../../src/domain/parsed-mail.ts';
import { documentOf, type SearchDocument } from '../../../src/domain/search/document.ts';
import { QueryMatcher } from '../../../src/domain/search/match-query.ts';
import type { SearchQuery, Term } from '../../../src/domain/search/query.ts';
import { conditionsOf } from '../../../src/store/texts/conditions.ts';
import { idAfter, TextLibrary } from '../../../src/store/texts/library.ts';
import { MemoryShelf } from '../../../src/store/texts/shelf.ts';
import { TEXT_FIELDS } from '../../../src/text/search-words.ts';
import { propertyRuns } from '../../support/night.ts';
import { aMessage, NOON, ulidAt } from '../rows.ts';

const WORDS = [
  'a',
  'ab',
  'abc',
  'b',
  'Ada',
  'x@y.test',
  '10:30',
  '=',
  '-',
  '請求書',
  '書の請',
  'ß',
  'Σας',
  '😀',
  'naïve',
  'İ',
];
const SPACES = [' ', ' ', ' ', '', '\n', '\u00a0', '  ', '\u200b'];

const text = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...SPACES)), { maxLength: 8 })
  .map((pairs) => pairs.flat().join(''));
const orNull = fc.option(text, { nil: null });

const attachment = fc.record({ filename: orNull, isInline: fc.boolean() });

interface Sample {
  readonly message: Message;
  /** Null: the text of the message is not prepared. */
  readonly document: SearchDocument | null;
}

const sample = fc
  .record({
    from: orNull,
    to: orNull,
    cc: orNull,
    bcc: orNull,
    replyTo: orNull,
    subject: orNull,
    textBody: orNull,
    htmlBody: orNull,
    mailFrom: text,
    rcptTo: fc.array(text, { maxLength: 2 }),
    headers: fc.dictionary(fc.constantFrom('x-a', 'x-ab', 'subject', 'message-id'), fc.array(text, { maxLength: 2 })),
    attachments: fc.array(attachment, { maxLength: 2 }),
    hasCode: fc.boolean(),
    hasLink: fc.boolean(),
    isPrepared: fc.integer({ min: 0, max: 9 }).map((one) => one > 0),
  })
  .map((made): Sample => {
    const { from, to, cc, subject, mailFrom, rcptTo } = made;
    const message = aMessage({
      ...{ id: ulidAt(NOON), workspaceId: ulidAt(NOON), mailboxId: ulidAt(NOON) },
      ...{ raw: '0.0.1' as BlobRef, facts: '0.1.1' as BlobRef, attachmentCount: made.attachments.length },
      ...{ from, to, cc, subject, mailFrom, rcptTo },
    });
    const attachments = made.attachments.map((one) => ({ ...one, contentType: null }) as unknown as ParsedAttachment);
    const parsed: ParsedMail = { ...made, attachments, toAndCc: [], parseError: null };
    const document = documentOf(message, parsed, {
      htmlText: () => [made.htmlBody ?? ''],
      hasCode: made.hasCode,
      hasLink: made.hasLink,
    });
    return { message, document: made.isPrepared ? document : null };
  });

const wanted = text.filter((one) => one.trim() !== '');
const term: fc.Arbitrary<Term> = fc
  .tuple(
    fc.boolean(),
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({
          kind: fc.constant('text' as const),
          field: fc.constantFrom(null, null, 'body' as const, ...TEXT_FIELDS),
          text: wanted,
        }),
      },
      fc.record({
        kind: fc.constant('header' as const),
        name: fc.constantFrom('x-a', 'x-ab', 'subject', 'x'),
        text: fc.oneof(fc.constant(''), text),
      }),
      fc.record({
        kind: fc.constant('has' as const),
        what: fc.constantFrom('code' as const, 'link' as const, 'inline' as const),
      }),
      fc.constant({ kind: 'html' as const }),
    ),
  )
  .map(([not, rest]) => ({ ...rest, not }));
const query: fc.Arbitrary<SearchQuery> = fc.array(term, { minLength: 1, maxLength: 3 });

/** Adds samples in batches of a few, so that blocks of all sizes are merged. */
async function filled(samples: readonly Sample[], batch: number, tiers: readonly number[]): Promise<TextLibrary> {
  const library = await TextLibrary.open(new MemoryShelf(), tiers);
  for (let at = 0; at < samples.length; at += batch) {
    const texts = samples.slice(at, at + batch).map(({ message: { id }, document }) => ({ id, document }));
    await library.add(samples[at - 1]?.message.id ?? '', texts);
  }
  return library;
}

async function findAll(
  library: TextLibrary,
  asked: SearchQuery,
  before: string | null,
  only: readonly string[] | null,
  enough: number,
) {
  const conditions = conditionsOf(asked);
  const found: string[] = [];
  const gaps: string[] = [];
  for (let below = before, isEnd = false; !isEnd; ) {
    const reply = await library.find({
      conditions,
      before: below,
      enough,
      only: only === null ? null : Buffer.from(only.join('')),
    });
    isEnd = reply.isEnd;
    for (const { after, ids, unread } of reply.stretches) {
      if (ids === null) gaps.push(after);
      for (let at = 0; at < (ids ?? '').length; at += 26)
        found.push(`${ids?.slice(at, at + 26)}${unread.includes(at / 26) ? '?' : ''}`);
      below = idAfter(after);
    }
  }
  return { found, gaps };
}

test('a search of blocks finds what a look at each document finds, the newest first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(sample, { minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom([4, 16], [2]),
      fc.array(query, { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(40), { maxLength: 10 }),
      fc.option(fc.nat(40), { nil: null }),
      fc.option(fc.array(fc.nat(40)), { nil: null }),
      fc.constantFrom(1, 3, 10_000),
      async (made, batch, tiers, queries, gone, before, only, enough) => {
        const samples = made.map((one) => {
          const id = ulidAt<Message['id']>(NOON);
          return { ...one, message: { ...one.message, id } };
        });
        const library = await filled(samples, batch, tiers);
        const removed = new Set(gone.map((at) => samples[at]?.message.id ?? ''));
        await library.erase([...removed]);
        const upper = before === null ? null : (samples[before]?.message.id ?? null);
        const named = only === null ? null : new Set(only.map((at) => samples[at]?.message.id ?? ''));
        for (const asked of queries) {
          const matcher = new QueryMatcher(asked);
          const expected = samples
            .filter(
              ({ message: { id } }) => !removed.has(id) && (upper === null || id < upper) && (named?.has(id) ?? true),
            )
            .filter(({ message, document }) => document === null || matcher.matchesDocument(message, document))
            .map(({ message: { id }, document }) => `${id}${document === null ? '?' : ''}`)
            .reverse();
          const ids = named === null ? null : [...named].filter((id) => id !== '').sort();
          const { found } = await findAll(library, asked, upper, ids, enough);
          expect(found).toEqual(expected);
        }
      },
    ),
    { numRuns: propertyRuns(2_000) },
  );
});

test('an answer ends in the middle of a block where it has enough', async () => {
  const samples = fc.sample(sample, { numRuns: 40, seed: 1 });
  const library = await filled(samples, 40, [64]);
  const conditions = conditionsOf([{ kind: 'text', field: null, text: 'a word of no mail', not: true }]);
  const { stretches, isEnd } = await library.find({ conditions, before: null, enough: 3, only: null });
  const newest = samples.slice(-3).map(({ message: { id } }) => id);
  expect([stretches.map(({ ids }) => ids).join(''), isEnd]).toEqual([newest.reverse().join(''), false]);
});
