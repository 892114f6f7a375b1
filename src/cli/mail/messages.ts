import type { Client, FoundMessage, SearchPage } from '../../client/index.ts';
import {
  type AnyMessage,
  type AnySummary,
  mailboxPage,
  type ReadMessage,
  readAnyMessage,
  wordsOfTexts,
} from '../../client/mailbox/any-kind.ts';
import { ConfigError } from '../../config/user-error.ts';
import { aroundMatch, hiddenMatch } from '../../text/around-match.ts';
import { saidNumber } from '../../text/said.ts';
import { CALLED, calledMessage, nameOfMessage, saidDeleted } from '../../text/wording.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox, type MeantMailbox } from '../connect.ts';
import { isId, listNumber, prefixOf, throwNoSuch } from '../named.ts';
import {
  printBytes,
  printForAgent,
  printJson,
  printMessage,
  printMessageForAgent,
  printResult,
  say,
  sayShared,
  writeMoment,
  writeSize,
} from '../output.ts';
import { idColumn, numberedColumns, printList, printTable, type TableColumn } from '../table.ts';
import { type Count, countFound, countMessages, readPages, SEARCH_PATIENCE, writeCount } from './count.ts';
import { MESSAGE, type MessageMeant, messageNamed, positionNamed } from './message-named.ts';
import { isSearchWord, queryOf } from './search-words.ts';

const DEFAULT_LIMIT = 50;
/** A message with its position in the list, where 1 is the newest. */
type Row = Found & { readonly number: number };
/** A message, with the places at which a search found its words. */
type Found = AnySummary & Partial<Pick<SearchPage['items'][number], 'matches'>>;

export async function listMessages(args: Arguments): Promise<number> {
  if (args.isOn('everywhere')) return listEverywhere(args);
  const client = await connect(args);
  const mailbox = await findMailbox(client, args.text('mailbox'));
  const limit = args.count('limit') ?? DEFAULT_LIMIT;
  const query = queryOf(args);
  const isWhole = query === null && args.text('before') === null;
  // One message more than the limit tells whether there are more.
  const { messages: found, total } = await firstMessages(client, mailbox, args, query, limit + 1);
  const messages = found.slice(0, limit);
  if (args.isOn('agent')) {
    const words = await wordsOfTexts(client.local, messages);
    await printForAgent(({ listResult }, fenceId) => listResult(messages, found.length > limit, fenceId, words));
    return EXIT.done;
  }
  if (args.isOn('json')) printJson(messages);
  else if (messages.length > 0) {
    const words = await wordsOfTexts(client.local, messages);
    // A number is the position in the whole mailbox, so search results have none.
    const rows = messages.map((message, at) => ({ ...message, number: at + 1 }));
    printTable(rows, columnsOf(rows, isWhole, words), matchedIn);
  }
  const isMore = found.length > limit;
  const count = total ?? (isMore && isWhole ? await countMessages(client, mailbox.id) : null);
  sayRest(mailbox, messages.length, isMore, count, isWhole);
  return 0;
}

/** Lists the messages of all mailboxes of the workspace, each with its mailbox. */
async function listEverywhere(args: Arguments): Promise<number> {
  if (args.text('mailbox') !== null || args.text('before') !== null || args.isOn('agent'))
    throw new ConfigError('--everywhere excludes --mailbox, --before and --agent.');
  const client = await connect(args);
  const limit = args.count('limit') ?? DEFAULT_LIMIT;
  const query = queryOf(args);
  const asked = { ...(query === null ? {} : { query }), workspaceId: await client.workspaceId() };
  const found = await readPages<FoundMessage>(limit + 1, (page) =>
    client.local.searchAllMessages({ ...asked, ...page, total: false }, SEARCH_PATIENCE),
  );
  const names = new Map((await client.listMailboxes()).map(({ id, subdomain }) => [id, subdomain]));
  const words = await wordsOfTexts(client.local, found.slice(0, limit));
  const code = printList(
    args,
    found.slice(0, limit),
    [
      idColumn(found),
      { title: 'RECEIVED', of: ({ receivedAt }) => writeMoment(receivedAt).slice(5), from: 60 },
      { title: 'MAILBOX', of: ({ mailboxId }) => names.get(mailboxId) ?? mailboxId, flexible: true },
      { title: 'FROM', of: ({ from }) => from, flexible: true, from: 90 },
      { title: 'TO', of: ({ to }) => to, flexible: true, from: 70 },
      { title: 'SUBJECT', of: (message) => titleIn(words, message), flexible: true, least: 24 },
    ],
    query === null ? 'there is no message yet.' : 'no message matches the search.',
  );
  if (found.length > limit) say(`${saidNumber(limit)} of more; --limit <number> shows more.`);
  return code;
}

/** Returns the columns of the list. One for people has what a search found where the other columns do not show it. */
function columnsOf(rows: readonly Row[], isWhole: boolean, words: ReadonlyMap<string, string>): TableColumn<Row>[] {
  const hasMatches = rows.some(({ matches }) => hiddenMatch(matches) !== null);
  const found: TableColumn<Row> = { title: 'FOUND', of: foundIn, flexible: true, least: 24 };
  return [
    ...numberedColumns(rows, isWhole),
    { title: 'RECEIVED', of: ({ receivedAt }) => writeMoment(receivedAt).slice(5), from: 60 },
    { title: 'FROM', of: ({ from }) => from, flexible: true },
    { title: 'TO', of: ({ to }) => to, flexible: true, from: hasMatches ? 110 : 70 },
    { title: 'SUBJECT', of: (message) => titleIn(words, message), flexible: true, least: 24 },
    ...(process.stdout.isTTY && hasMatches ? [found] : []),
    { title: 'SIZE', of: ({ sizeBytes }) => writeSize(sizeBytes), align: 'right', from: 100 },
  ];
}

/** Returns what stands in the column of the subject: that of an email, the words of a text message. */
function titleIn(words: ReadonlyMap<string, string>, message: AnySummary): string {
  return message.subject || words.get(message.id) || nameOfMessage(message, 60);
}

/** The number of characters before a match in a cell. */
const BEFORE = 12;

/** Returns what a search found where the other columns do not show it. */
function foundIn({ matches }: Row): string | null {
  const match = hiddenMatch(matches);
  if (match === null) return null;
  const { before, text, after } = aroundMatch(match, BEFORE);
  return `${match.field === 'body' ? '' : `${match.field} `}${before}${text}${after}`;
}

/** Returns the part of a row's line that matched. */
function matchedIn({ matches }: Row): string | null {
  const match = hiddenMatch(matches) ?? matches?.[0];
  return match === undefined ? null : aroundMatch(match, BEFORE).text;
}

/** Says that there is no message, or that there are more than the list shows. */
function sayRest(mailbox: MeantMailbox, shown: number, isMore: boolean, count: Count | null, isWhole: boolean): void {
  if (isMore) {
    const total = count === null ? 'more' : `${writeCount(count)}${isWhole ? '' : ' found'} of ${mailbox.subdomain}`;
    say(`${saidNumber(shown)} of ${total}; --limit <number> shows more.`);
  } else if (shown === 0) {
    say(
      isWhole
        ? `there is no message in ${mailbox.subdomain} yet.`
        : `no message in ${mailbox.subdomain} matches the search.`,
    );
  }
}

/** Lists messages page by page, newest first. */
async function firstMessages(
  client: Client,
  mailbox: MeantMailbox,
  args: Arguments,
  query: string | null,
  wanted: number,
): Promise<{ messages: Found[]; total: Count | null }> {
  let total = null as Count | null;
  const before = (await positionNamed(client, args.text('before'), mailbox)) ?? undefined;
  const readPage = async (page: { readonly limit: number; readonly before: string | undefined }) => {
    if (query === null) {
      const items = await mailboxPage(client, mailbox.id, page, SEARCH_PATIENCE);
      return { items, next: items.length < page.limit ? null : (items.at(-1)?.id ?? null) };
    }
    // The first page tells how many there are.
    const asked = { ...page, query, matches: true, total: total === null };
    const found = await client.local.searchMessages(mailbox.id, asked, SEARCH_PATIENCE);
    total ??= { count: found.total ?? 0, isAll: found.complete };
    return found;
  };
  const messages = await readPages<Found>(wanted, readPage, before);
  return { messages, total };
}

export async function showMessage(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { mailboxId, id, facts } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const message = await readAnyMessage(client, mailboxId, id).catch(throwNoSuch(MESSAGE, id));
  if (args.isOn('why')) (await import('./print-why.ts')).printWhy(message, args.isOn('json'));
  else if (args.isOn('agent')) await printMessageForAgent(message);
  else if (args.isOn('json')) printJson(message);
  else await printMessage(await withFindings(client, message, facts));
  return 0;
}

/** Adds the codes and links that the server found. To find them again here would take longer than to ask. */
async function withFindings(client: Client, message: AnyMessage, known: MessageMeant['facts']): Promise<ReadMessage> {
  if (known === undefined && !(await client.hasLocalApi())) return message;
  // A caller may have a key, and no token of the local API.
  const facts = known ?? (await client.local.getMessageFacts(message.id).catch(() => null));
  return facts === null ? message : { ...message, codes: facts.codes, links: facts.links };
}

export async function rawMessage(args: Arguments): Promise<number> {
  const client = await connect(args);
  const { id } = await messageNamed(client, args.operand(), args.text('mailbox'));
  await printBytes(await client.local.getRawMessage(id).catch(throwNoSuch(MESSAGE, id)));
  return 0;
}

export async function deleteMessages(args: Arguments): Promise<number> {
  const all = args.isOn('all');
  const isSearch = args.text('query') !== null || args.operands.some(isSearchWord);
  if (all === (isSearch || args.operands.length > 0))
    throw new ConfigError('name the messages by ids, by search words as in from:ada, or with --all.');
  const client = await connect(args);
  if (all) return deleteAll(client, args);
  return isSearch ? deleteFound(client, args) : deleteNamed(client, args);
}

async function deleteFound(client: Client, args: Arguments): Promise<number> {
  const { id, subdomain } = await findMailbox(client, args.text('mailbox'));
  const query = queryOf(args) ?? '';
  const count = await countFound(client, id, query);
  if (count.count === 0 && count.isAll) {
    say(`no message in ${subdomain} matches the search: there is nothing to delete.`);
    return EXIT.done;
  }
  if (!(await isAgreed(args, `delete ${CALLED.messagesFoundIn(writeCount(count), subdomain)}`))) return EXIT.failed;
  const { deleted } = await client.local.clearMailbox(id, { query }, DELETE_PATIENCE);
  return printResult(args, { deleted }, () =>
    sayShared(saidDeleted(CALLED.messagesFoundIn(writeCount({ count: deleted, isAll: true }), subdomain))),
  );
}

/** The timeout of a deletion by search, in milliseconds. The server may have to read all mails. */
const DELETE_PATIENCE = { timeout: 600_000 } as const;

async function deleteAll(client: Client, args: Arguments): Promise<number> {
  const { id, subdomain } = await findMailbox(client, args.text('mailbox'));
  const count = await countMessages(client, id);
  if (count.count === 0) {
    say(`no message in ${subdomain}: there is nothing to delete.`);
    return EXIT.done;
  }
  const what = CALLED.messagesIn(writeCount(count), subdomain);
  if (!(await isAgreed(args, `delete ${what}`))) return EXIT.failed;
  await client.local.clearMailbox(id);
  sayShared(saidDeleted(what));
  return EXIT.done;
}

/** Deletes the named messages. All are looked up first, because each deletion changes the numbers of the others. */
async function deleteNamed(client: Client, args: Arguments): Promise<number> {
  const word = args.operands.find((named) => !isId(named) && listNumber(named) === null && prefixOf(named) === null);
  if (word !== undefined)
    throw new ConfigError(
      `${word}: expected an id, the first letters of one, or a number. To search for the word, give \`subject:${word}\` or \`--query ${word}\`.`,
    );
  const meant = new Map<string, string>();
  for (const named of args.operands) {
    const { mailboxId, id } = await messageNamed(client, named, args.text('mailbox'));
    meant.set(id, mailboxId);
  }
  const [[firstId, mailboxId] = ['', '']] = meant;
  const { subject, from, kind } = await readAnyMessage(client, mailboxId, firstId).catch(throwNoSuch(MESSAGE, firstId));
  const what = meant.size === 1 ? calledMessage({ subject, kind, from: from ?? '' }) : `${meant.size} messages`;
  if (!(await isAgreed(args, `delete ${what}`))) return EXIT.failed;
  for (const id of meant.keys()) await client.local.deleteMessage(id).catch(throwNoSuch(MESSAGE, id));
  const deleted = [...meant.keys()].map((id) => ({ id }));
  return printResult(args, deleted, () => sayShared(saidDeleted(what)));
}
