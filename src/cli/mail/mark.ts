import type { Client } from '../../client/index.ts';
import { ConfigError } from '../../config/user-error.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox } from '../connect.ts';
import { printJson, printResult, say } from '../output.ts';
import { messageNamed } from './message-named.ts';
import { isSearchWord, queryOf } from './search-words.ts';

/** The timeout of marks by search, in milliseconds. The server may have to read all mails. */
const PATIENCE = { timeout: 600_000 } as const;

/** Marks the messages that ids or search words name. */
export async function markMessages(args: Arguments): Promise<number> {
  const marks = marksOf(args);
  const isSearch = args.text('query') !== null || args.operands.some(isSearchWord);
  if (!isSearch && args.operands.length === 0)
    throw new ConfigError('name the messages by ids, or by search words as in from:ada.');
  const client = await connect(args);
  const which = isSearch ? await searched(client, args) : { ids: await idsOf(client, args) };
  const { updated, skipped } = await client.local.markMessages({ ...which, ...marks }, PATIENCE);
  if (args.isOn('json')) printJson({ updated, skipped });
  else say(`${updated} ${updated === 1 ? 'message' : 'messages'} marked.${skipped === 0 ? '' : tooManyTags(skipped)}`);
  return skipped === 0 ? EXIT.done : EXIT.failed;
}

function tooManyTags(skipped: number): string {
  return ` ${skipped} stayed as they were, because a message has at most 50 tags.`;
}

async function searched(client: Client, args: Arguments) {
  const { id: mailboxId } = await findMailbox(client, args.text('mailbox'));
  return { query: queryOf(args) ?? '', mailboxId };
}

async function idsOf(client: Client, args: Arguments): Promise<string[]> {
  const ids: string[] = [];
  for (const named of args.operands) ids.push((await messageNamed(client, named, args.text('mailbox'))).id);
  return ids;
}

function marksOf(args: Arguments) {
  const read = switchOf(args, 'read', 'unread');
  const starred = switchOf(args, 'star', 'unstar');
  const addTags = args.list('tag');
  const removeTags = args.list('untag');
  if (read === undefined && starred === undefined && addTags.length + removeTags.length === 0)
    throw new ConfigError('name at least one mark: --read, --unread, --star, --unstar, --tag or --untag.');
  return {
    read,
    starred,
    ...(addTags.length > 0 && { addTags }),
    ...(removeTags.length > 0 && { removeTags }),
  };
}

function switchOf(args: Arguments, on: string, off: string): boolean | undefined {
  if (args.isOn(on) && args.isOn(off))
    throw new ConfigError(`--${on} and --${off} exclude each other: give one of them.`);
  return args.isOn(on) ? true : args.isOn(off) ? false : undefined;
}

/** Tells the webhooks of a provider what the reader of a message did. */
export async function reportInteraction(args: Arguments): Promise<number> {
  const link = args.text('clicked');
  const named = (['opened', 'unsubscribed', 'complained'] as const).filter((type) => args.isOn(type));
  const types = [...named, ...(link === null ? [] : (['clicked'] as const))];
  const [type] = types;
  if (type === undefined || types.length > 1)
    throw new ConfigError('name one of --opened, --clicked <link>, --unsubscribed and --complained.');
  const client = await connect(args);
  const { id } = await messageNamed(client, args.operand(), args.text('mailbox'));
  const told = await client.local.recordInteraction(id, { type, ...(link !== null && { link }) });
  return printResult(args, told, () => {
    const what = type === 'clicked' ? 'link' : 'mail';
    const whom =
      told.requests === 0 ? 'no webhook of the app wants the event' : 'the webhooks of the app get the event';
    say(`${told.recipient} ${type} the ${what}: ${whom}.`);
  });
}
