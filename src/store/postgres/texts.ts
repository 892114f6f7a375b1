import type { MessageId } from '../../domain/ids.ts';
import type { Message } from '../../domain/message.ts';
import { type DocumentField, SEARCH_FIELDS, type SearchDocument } from '../../domain/search/document.ts';
import type { SearchQuery } from '../../domain/search/query.ts';
import type { MessageTexts, PreparedText, TextHit, TextScope, TextStretch } from '../../ports/store.ts';
import { END, ofOwner, type ReadSource } from './append-tables.ts';
import { numberColumn, parseRow, type Statement, type StatementValue, statement, textColumn } from './connection.ts';
import { columnOf, writeConditions } from './text-conditions.ts';
import { INDEX, type TrigramIndex } from './trigram-index.ts';

// Ids are given out in the order of the commits, so no message can appear below a newer one. So all messages up to the
// id in `text_progress` have a text, and only newer ones have to be looked at.

// With `offset 0`, PostgreSQL looks up the text of each message. Without it, it may read the index of all texts.
const LACKS_TEXT = 'not exists (select from message_texts where message_texts.id = messages.id offset 0)';
const MISSING = statement(
  'messages without text',
  `with missing as (select id, row from messages
     where id > (select up_to from text_progress) and ${LACKS_TEXT} order by id limit $1),
   edge as (select id from messages where id < coalesce((select min(id) from missing), '${END}') order by id desc limit 1),
   moved as (update text_progress set up_to = edge.id from edge where up_to < edge.id)
   select row from missing order by id`,
);
const COUNT_MISSING = statement(
  'count messages without text',
  `select count(*)::float8 as count from messages where id > (select up_to from text_progress) and ${LACKS_TEXT}`,
);
const ROWS = statement('messages to prepare', 'select row from messages where id = any ($1::text[])');
const CLEAN = statement('merge new texts', `select gin_clean_pending_list('${INDEX}')`);

interface Column {
  readonly name: string;
  readonly type: string;
  readonly of: (prepared: Prepared) => string | boolean | null;
}

/** A text to keep, and the message that it belongs to. */
interface Prepared {
  readonly message: Message;
  readonly document: SearchDocument | null;
}

const COLUMNS: readonly Column[] = [
  { name: 'id', type: 'text', of: ({ message }) => message.id },
  { name: 'mailbox_id', type: 'text', of: ({ message }) => message.mailboxId },
  { name: 'workspace_id', type: 'text', of: ({ message }) => message.workspaceId },
  { name: 'is_whole', type: 'bool', of: ({ document }) => document !== null },
  { name: 'has_code', type: 'bool', of: ({ document }) => document?.hasCode === true },
  { name: 'has_link', type: 'bool', of: ({ document }) => document?.hasLink === true },
  { name: 'has_inline', type: 'bool', of: ({ document }) => document?.hasInline === true },
  { name: 'has_html', type: 'bool', of: ({ document }) => document?.hasHtml === true },
  ...SEARCH_FIELDS.map((field) => ({ name: columnOf(field), type: 'text', of: linesOf(field) })),
];

/** Returns the texts of a field as lines. No folded text has a line break, and no searched one. */
function linesOf(field: DocumentField): Column['of'] {
  return ({ document }) => {
    const texts = document?.texts[field] ?? [];
    return texts.length === 0 ? null : texts.join('\n');
  };
}

const NAMES = COLUMNS.map(({ name }) => name).join(', ');
// The lock makes a removal of these messages wait, so that it sees their texts. A message that is being removed is
// passed over, so the statement itself waits for nothing and no deadlock is possible.
const ADD = statement(
  'add texts',
  `insert into message_texts (${NAMES})
   select ${COLUMNS.map(({ name }) => `new.${name}`).join(', ')}
   from unnest(${COLUMNS.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ')}) as new (${NAMES})
   join messages on messages.id = new.id order by new.id for key share of messages skip locked
   on conflict (id) do nothing`,
);
/** The limits of one insertion. It locks the rows of its messages for some milliseconds. */
const MOST_ADDED = 64;
const MOST_CHARACTERS = 1024 * 1024;

/** The number of texts that the first stretch of a search reads. Each further stretch reads twice as many. */
const FIRST_ROWS = 256;
const MOST_ROWS = 4_096;
/** If fewer than one text in this many matches, the index finds the rest faster than reading does. */
const SPARSE = 8;
/**
 * Tells whether the index finds the rest faster than reading does: so few texts match that the caller, if it needs only
 * some, would have to wait for many to be read. The index looks at every text that may match, whatever its age.
 */
function isSparse(matched: number, read: number, { enough }: TextScope): boolean {
  if (matched * SPARSE > read) return false;
  return enough === undefined || matched >= enough || matched * MOST_ROWS < (enough - matched) * read;
}

/** The maximum number of messages in a stretch that comes from the index. */
const MOST_FOUND = 50_000;

interface TextsSource extends ReadSource {
  /** The index by trigrams. Null while there is none. */
  readonly index: () => TrigramIndex | null;
}

/** Returns the prepared texts in the table `message_texts` (docs/search.md). A trigger removes a text with its message. */
export function postgresTexts({ query, small, index }: TextsSource): MessageTexts {
  const add = async (texts: readonly PreparedText[]): Promise<void> => {
    const documents = new Map(texts.map(({ id, document }) => [id, document]));
    const messages = (await query(ROWS, [[...documents.keys()]])).map(parseRow<Message>);
    if (messages.length === 0) return;
    const rows = messages.map((message) => ({ message, document: documents.get(message.id) ?? null }));
    await query(
      ADD,
      COLUMNS.map(({ of }) => rows.map(of)),
    );
    if (index() !== null) await query(CLEAN);
  };
  /** Tells whether the index is faster than to read all texts of a mailbox. It finds those of other mailboxes too. */
  const isLarge = async ({ mailboxId }: TextScope): Promise<boolean> =>
    mailboxId === undefined || ((await small()).stored.get(mailboxId)?.messages ?? 0) > 2 * MOST_ROWS;
  return {
    missing: async (limit) => (await query(MISSING, [limit])).map(parseRow<Message>),
    add: async (texts) => {
      for (const some of slicesOf(texts)) await add(some);
    },
    async *find(wanted, where): AsyncGenerator<TextStretch, void, void> {
      const search = textSearch(wanted, where, index());
      let before: string = where.before ?? END;
      let isUnsparse = false;
      let [read, matched] = [0, 0];
      for (let rows = FIRST_ROWS; ; rows = Math.min(2 * rows, MOST_ROWS)) {
        const [row] = await query(...search.walk(before, rows));
        // Preparation goes from the oldest to the newest message, so nothing from here on is prepared.
        const missing = row?.['missing'];
        if (typeof missing === 'string') yield { downTo: missing as MessageId, found: null }; // The column holds ids.
        const found = hitsOf(row);
        const isEnd = numberColumn(row, 'rows') < rows;
        const downTo = isEnd ? null : (textColumn(row, 'down_to') as MessageId);
        yield { downTo, found };
        if (downTo === null) return;
        before = downTo;
        read += rows;
        matched += found.length;
        if (isUnsparse || !search.hasLookup || !isSparse(matched, read, where)) continue;
        if (!(await isLarge(where))) continue;
        const [rest] = await query(...search.lookUp(before, MOST_FOUND));
        const others = hitsOf(rest);
        const last = others.length < MOST_FOUND ? null : (others.at(-1)?.id ?? null);
        yield { downTo: last, found: others };
        if (last === null) return;
        before = last;
        isUnsparse = true;
      }
    },
    progress: async () => {
      const [{ messages }, [row]] = await Promise.all([small(), query(COUNT_MISSING)]);
      const missing = numberColumn(row, 'count');
      return { prepared: Math.max(0, messages.size - missing), missing };
    },
  };
}

/** Cuts texts into insertions. */
function* slicesOf(texts: readonly PreparedText[]): Generator<readonly PreparedText[], void, void> {
  let slice: PreparedText[] = [];
  let characters = 0;
  for (const text of texts) {
    slice.push(text);
    for (const field of SEARCH_FIELDS) for (const { length } of text.document?.texts[field] ?? []) characters += length;
    if (slice.length < MOST_ADDED && characters < MOST_CHARACTERS) continue;
    yield slice;
    slice = [];
    characters = 0;
  }
  if (slice.length > 0) yield slice;
}

/** Returns the statements of one search. They differ from search to search, so PostgreSQL keeps none of them. */
function textSearch(query: SearchQuery, { mailboxId, workspaceId }: TextScope, index: TrigramIndex | null) {
  // $1 is the position, and $2 the limit. A mailbox is in one workspace.
  const owners = [
    { column: 'mailbox_id', id: mailboxId },
    { column: 'workspace_id', id: workspaceId },
  ].filter(({ id }) => id !== undefined);
  const scopes = owners.map(({ column }, at) => ` and ${column} = $${at + 3}`);
  const ofScope = owners.map(({ id }) => id ?? null);
  const { exact, lookup, values, lookupValues } = writeConditions(query, owners.length + 3, index?.letters ?? null);
  /** The condition for the texts of the scope before a position, and their order. */
  const older = (before: string): string => {
    const [owner] = owners;
    if (owner === undefined) return `id < ${before} order by id desc`;
    const own = ofOwner(owner.column, '$3', { from: "''", to: before });
    return `${own}${scopes.slice(1).join('')} order by ${owner.column} desc, id desc`;
  };
  return {
    hasLookup: lookup !== null,
    /** Builds the statement that reads the newest texts before a position. */
    walk: (before: string, rows: number): [Statement, StatementValue[]] => [
      passing(
        `with missing as (select id from messages
         where id > (select up_to from text_progress) and id < $1 and ${LACKS_TEXT} order by id limit 1),
       newest as (select * from message_texts where ${older('coalesce((select id from missing), $1)')} limit $2)
       select (select id from missing) as missing, count(*)::float8 as rows, min(id) as down_to,
         string_agg(case when is_whole then id else '-' || id end, ' ') filter (where not is_whole or (${exact})) as found
       from newest`,
      ),
      [before, rows, ...ofScope, ...values],
    ],
    /** Builds the statement that finds texts before a position by the index. */
    // With `offset 0`, PostgreSQL uses the index by trigrams for these rows and no other one.
    lookUp: (before: string, most: number): [Statement, StatementValue[]] => [
      passing(
        `with hits as (
         select id, '' as mark from (select * from message_texts where ${lookup} offset 0) as texts
         where id < $1${scopes.join('')} and is_whole and ${exact}
         union all
         select id, '-' from message_texts where not is_whole and id < $1${scopes.join('')})
       select string_agg(mark || id, ' ') as found from (select * from hits order by id desc limit $2) as newest`,
      ),
      [before, most, ...ofScope, ...values, ...lookupValues],
    ],
  };
}

/** Returns a statement that PostgreSQL prepares for one use. */
function passing(text: string): Statement {
  return { name: '', text };
}

/** Reads the ids in the column `found`, the newest first. Those that the text does not decide begin with `-`. */
function hitsOf(row: Readonly<Record<string, unknown>> | undefined): TextHit[] {
  const found = row?.['found'];
  if (typeof found !== 'string') return [];
  // The casts are safe: the column holds ids of messages.
  return found
    .split(' ')
    .map((id) =>
      id.startsWith('-') ? { id: id.slice(1) as MessageId, isSure: false } : { id: id as MessageId, isSure: true },
    );
}
