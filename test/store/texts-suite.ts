import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MessageId } from '../../src/domain/ids.ts';
import type { Mailbox } from '../../src/domain/mailbox.ts';
import type { Message } from '../../src/domain/message.ts';
import { type DocumentField, foldedRow, SEARCH_FIELDS, type SearchDocument } from '../../src/domain/search/document.ts';
import { QueryMatcher } from '../../src/domain/search/match-query.ts';
import { parseQuery, quoted } from '../../src/domain/search/query.ts';
import type { Store, TextScope } from '../../src/ports/store.ts';
import { fold } from '../../src/text/fold.ts';
import { HAVINGS, TEXT_FIELDS } from '../../src/text/search-words.ts';
import { at } from '../support/moment.ts';
import { propertyRuns } from '../support/night.ts';
import { aMessage, aPlace, NOON, ulidAt } from './rows.ts';
import { Draw } from './simulation/draw.ts';

/** The number of messages in the random cases. A database reads the newest of them and looks up the others. */
const MESSAGES = 1_200;
const QUERIES = propertyRuns(250, 60);

/** Specifies what searches find in the prepared texts of a Store: the same as `matchesDocument` does. */
export function textsSuite(open: () => Promise<Store>): void {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(async () => {
    await store.close();
  });

  test('random queries find what matchesDocument finds in the same texts, newest first, whatever the scope', async () => {
    const draw = new Draw(20_261_126);
    const mailboxes = [(await aPlace(store)).mailbox, (await aPlace(store)).mailbox];
    const mails = await insert(
      store,
      MESSAGES,
      () => draw.pick(mailboxes),
      () => randomRow(draw),
    );
    const documents = new Map(mails.map((message) => [message.id, randomDocument(draw, message)]));
    for (let from = 0; from < mails.length; from += 500) {
      const some = mails.slice(from, from + 500);
      await store.texts.add(some.map(({ id }) => ({ id, document: documents.get(id) ?? null })));
    }
    expect(await store.texts.progress()).toEqual({ prepared: MESSAGES, missing: 0 });
    for (let i = 0; i < QUERIES; i++) {
      const text = randomQuery(draw);
      const matcher = new QueryMatcher(parseQuery(text));
      const [one, other] = mailboxes.map(({ id, workspaceId }) => ({ mailboxId: id, workspaceId }));
      const before = draw.pick(mails).id;
      const matching = mails.filter((mail) => matcher.matchesDocument(mail, documents.get(mail.id) as SearchDocument));
      const places = [{}, { mailboxId: one?.mailboxId, enough: 5 }, { workspaceId: other?.workspaceId, before }];
      for (const where of places) {
        const wanted = matching.filter((message) => isIn(message, where));
        const ids = wanted.map(({ id }) => id).reverse();
        expect([text, where, (await found(store, text, where)).sure]).toEqual([text, where, ids]);
      }
    }
  });

  test.each<[string, string[], ...string[][]]>([
    ['100%', ['100% off'], ['100 of']],
    ['a_b', ['xa_by'], ['axb']],
    ['back\\slash', ['back\\slash'], ['backslash']],
    ['"two words"', ['two words'], ['two', 'words'], ['twowords']],
    ["it's", ["it's"], ['its']],
    ['ß', ['groß', 'SS'], ['s s']],
    ['登录', ['请登录您的帐户'], ['登', '录']],
    ['пароль', ['Ваш ПАРОЛЬ'], ['парол']],
    ['👩‍💻', ['hi 👩‍💻'], ['👩']],
    ['a', ['banana'], ['b']],
    ['body:word', ['word'], ['wor d']],
  ])('%s is found in texts that contain it, and in no others', async (query, inside, ...without) => {
    const { mailbox } = await aPlace(store);
    const mails = await insert(store, inside.length + without.length, () => mailbox);
    const texts = [...inside.map((text) => [text]), ...without];
    await store.texts.add(mails.map(({ id }, at) => ({ id, document: documentWith({ body: texts[at] ?? [] }) })));
    expect((await found(store, query, {})).sure).toEqual(ids(mails.slice(0, inside.length)).reverse());
  });

  test('a header condition wants the name at the begin and the text behind it', async () => {
    const { mailbox } = await aPlace(store);
    const [yes, ...others] = await insert(store, 4, () => mailbox);
    const headers = [
      ['x-tag: a', 'x-campaign: spring (1.0)'],
      ['x-tag: x-campaign: spring (1.0)'],
      ['x-campaign: spring'],
      [],
    ];
    await store.texts.add(
      [yes, ...others].map((message, at) => ({
        id: idOf(message),
        document: documentWith({ header: headers[at] ?? [] }),
      })),
    );
    expect((await found(store, '"header:x-campaign=ring (1.0)"', {})).sure).toEqual([]);
    expect((await found(store, 'header:"x-campaign=ring (1.0)"', {})).sure).toEqual([yes?.id]);
    expect((await found(store, 'header:x-campaign', {})).sure).toEqual([others[1]?.id, yes?.id]);
    expect((await found(store, '!header:x-campaign', {})).sure).toEqual([others[2]?.id, others[0]?.id]);
  });

  test('the oldest message without a text is the first to prepare; none is left once all have one', async () => {
    const { mailbox } = await aPlace(store);
    const mails = await insert(store, 6, () => mailbox);
    expect(ids(await store.texts.missing(4))).toEqual(ids(mails.slice(0, 4)));
    expect(await store.texts.progress()).toEqual({ prepared: 0, missing: 6 });
    await store.texts.add(mails.slice(0, 3).map(({ id }) => ({ id, document: documentWith({ body: ['x'] }) })));
    expect(ids(await store.texts.missing(2))).toEqual(mails.slice(3, 5).map(({ id }) => id));
    expect(await store.texts.progress()).toEqual({ prepared: 3, missing: 3 });
    await store.texts.add(mails.slice(3).map(({ id }) => ({ id, document: documentWith({ body: ['x'] }) })));
    expect(await store.texts.missing(4)).toEqual([]);
    const [later] = await insert(store, 1, () => mailbox);
    expect(ids(await store.texts.missing(4))).toEqual([later?.id]);
    await store.transaction((tx) => tx.messages.removeAll(mailbox.id));
    expect(await store.texts.missing(4)).toEqual([]);
    expect(await store.texts.progress()).toEqual({ prepared: 0, missing: 0 });
  });

  test('messages without a text, or with none that can be searched, are told as not decided', async () => {
    const { mailbox } = await aPlace(store);
    const mails = await insert(store, 5, () => mailbox);
    const [first, second, third, ...unprepared] = mails.map(({ id }) => id);
    await store.texts.add([
      { id: idOf(mails[0]), document: documentWith({ body: ['needle'] }) },
      { id: idOf(mails[1]), document: null },
      { id: idOf(mails[2]), document: documentWith({ body: ['hay'] }) },
    ]);
    const { sure, open } = await found(store, 'needle', {});
    expect([sure, open]).toEqual([[first], [...unprepared.reverse(), second]]);
    expect((await found(store, '!needle', { before: unprepared[1] })).sure).toEqual([third]);
    expect((await found(store, 'needle', { before: second })).open).toEqual([]);
  });

  test('a text goes with its message, and none is kept for a message that is gone', async () => {
    const { mailbox } = await aPlace(store);
    const mails = await insert(store, 3, () => mailbox);
    const document = documentWith({ body: ['needle'] });
    await store.texts.add(mails.slice(0, 2).map(({ id }) => ({ id, document })));
    await store.transaction(async (tx) => {
      await tx.messages.remove(idOf(mails[0]));
      await tx.messages.remove(idOf(mails[2]));
    });
    await store.texts.add([{ id: idOf(mails[2]), document }]);
    expect((await found(store, 'needle', {})).sure).toEqual([mails[1]?.id]);
    // A second text of a message changes nothing.
    await store.texts.add([{ id: idOf(mails[1]), document }]);
    expect((await found(store, 'needle', {})).sure).toEqual([mails[1]?.id]);
  });
}

const WORDS =
  'code order the a invoice.pdf x-tag spring x%y a_b x\\y ada@x.test 登录 验证码 пароль straße ÉTÉ 👩‍💻 (1.0) ^a.*$'.split(
    ' ',
  );

function randomText(draw: Draw): string {
  return Array.from({ length: 1 + draw.int(6) }, () => randomWord(draw)).join(' ');
}

/** Returns a word that many texts have, or one that few have. */
function randomWord(draw: Draw): string {
  return draw.chance(0.6) ? draw.pick(WORDS) : `${draw.pick(WORDS)}${draw.int(400)}`;
}

function randomTexts(draw: Draw): string[] {
  return Array.from({ length: draw.int(3) }, () => randomText(draw));
}

function randomRow(draw: Draw): Partial<Message> {
  const [from = null, to = null, cc = null, subject = null] = randomTexts(draw);
  return { from, to, cc, subject, mailFrom: randomWord(draw), rcptTo: randomTexts(draw), attachmentCount: draw.int(2) };
}

/** Returns random texts for the fields that a row does not have. */
function randomDocument(draw: Draw, message: Message): SearchDocument {
  const texts = Object.fromEntries(SEARCH_FIELDS.map((field) => [field, randomTexts(draw)]));
  const header = randomTexts(draw).map((text) => `${draw.pick(['x-tag', 'x-other'])}: ${text}`);
  const whole = documentWith({ ...texts, header });
  const row = (['from', 'to', 'cc', 'envelope', 'subject'] as const).map((field) => [field, foldedRow(message, field)]);
  return {
    texts: { ...whole.texts, ...Object.fromEntries(row) },
    hasCode: draw.chance(0.3),
    hasLink: draw.chance(0.3),
    hasInline: message.attachmentCount > 0 && draw.chance(0.3),
    hasHtml: draw.chance(0.3),
  };
}

/** Writes a random query of one to three conditions that the texts decide. */
function randomQuery(draw: Draw): string {
  const terms = Array.from({ length: 1 + draw.int(3) }, () => {
    const kind = draw.int(10);
    const text = quoted(
      draw.chance(0.3) ? `${randomWord(draw)} ${draw.pick(WORDS)}` : randomWord(draw).slice(draw.int(2)) || 'a',
    );
    const term =
      kind < 4
        ? text
        : kind < 7
          ? `${draw.pick(TEXT_FIELDS)}:${text}`
          : kind === 7
            ? `header:"x-tag=${text.slice(1)}`
            : draw.pick([...HAVINGS.filter((what) => what !== 'attachment').map((what) => `has:${what}`), 'is:html']);
    return draw.chance(0.25) ? `!${term}` : term;
  });
  return terms.join(' ');
}

/** Collects what a search finds. The unprepared messages of a stretch are not decided. */
async function found(
  store: Store,
  text: string,
  where: TextScope,
): Promise<{ readonly sure: MessageId[]; readonly open: MessageId[] }> {
  const sure: MessageId[] = [];
  const open: MessageId[] = [];
  let above = where.before ?? '~';
  for await (const { downTo, found: hits } of store.texts.find(parseQuery(text), where)) {
    const isInside = (id: MessageId) => id < above && id >= (downTo ?? '');
    const those = hits ?? (await within(store, where, isInside)).map((id) => ({ id, isSure: false }));
    // What is in other mailboxes may be found too: the search reads the row of each.
    const rows = await store.read.messages.many(
      those.map(({ id }) => id),
      at(NOON),
    );
    for (const [index, { id, isSure }] of those.entries()) {
      expect(isInside(id)).toBe(true);
      const row = rows[index];
      if (row && isIn(row, where)) (isSure ? sure : open).push(id);
    }
    if (downTo === null) return { sure, open };
    above = downTo;
  }
  throw new Error('the stretches do not reach the oldest message');
}

async function within(store: Store, { mailboxId, workspaceId }: TextScope, wanted: (id: MessageId) => boolean) {
  const step = await store.read.messages.walk({
    mailboxId,
    workspaceId,
    rows: 10_000,
    now: at(NOON),
    wanted: ({ id }) => wanted(id),
  });
  return step.messages.map(({ id }) => id);
}

function isIn({ id, mailboxId, workspaceId }: Message, where: TextScope): boolean {
  return (
    id < (where.before ?? '~') &&
    (where.mailboxId ?? mailboxId) === mailboxId &&
    (where.workspaceId ?? workspaceId) === workspaceId
  );
}

async function insert(
  store: Store,
  count: number,
  mailbox: () => Mailbox,
  row: () => Partial<Message> = () => ({}),
): Promise<Message[]> {
  const [raw, facts] = [await store.blobs.put(Buffer.from('mail')), await store.blobs.put(Buffer.from('{}'))];
  return store.transaction(async (tx) => {
    const all: Message[] = [];
    for (let i = 0; i < count; i++) {
      const { workspaceId, id: mailboxId } = mailbox();
      const message = aMessage({ id: ulidAt<MessageId>(NOON), workspaceId, mailboxId, raw, facts, ...row() });
      await tx.messages.insert(message);
      all.push(message);
    }
    return all;
  });
}

function documentWith(texts: Partial<Record<DocumentField, readonly string[]>>): SearchDocument {
  const all = SEARCH_FIELDS.map((field) => [field, (texts[field] ?? []).map((text) => fold(text).trim())]);
  // The cast is safe: every field has its texts.
  const each = Object.fromEntries(all) as SearchDocument['texts'];
  return { texts: each, hasCode: false, hasLink: false, hasInline: false, hasHtml: false };
}

function ids(messages: readonly { readonly id: MessageId }[]): MessageId[] {
  return messages.map(({ id }) => id);
}

function idOf(message: Message | undefined): MessageId {
  if (message === undefined) throw new Error('no message');
  return message.id;
}
