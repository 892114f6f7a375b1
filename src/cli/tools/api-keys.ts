import type { Arguments } from '../arguments.ts';
import { connect, findMailbox } from '../connect.ts';
import { print, printJson, say } from '../output.ts';
import { printList } from '../table.ts';
import { writeMoment } from '../write.ts';
import { workspaceOf } from './workspace-of.ts';

/** Prints the key: it is told this once. */
export async function createKey(args: Arguments): Promise<number> {
  const client = await connect(args);
  const mailboxes = await Promise.all(namesIn(args.text('mailboxes')).map((name) => findMailbox(client, name)));
  const authenticators = namesIn(args.text('authenticators'));
  const key = await client.local.createKey(await workspaceOf(client), {
    name: args.operand() ?? '',
    scopes: {
      mailboxes: mailboxes.length === 0 ? 'all' : mailboxes.map(({ id }) => id),
      authenticators: authenticators.length === 0 ? 'all' : authenticators,
    },
  });
  if (args.isOn('json')) {
    printJson(key);
    return 0;
  }
  print(key.key);
  say(`its id is ${key.id}; the key is not told again.`);
  return 0;
}

export async function listKeys(args: Arguments): Promise<number> {
  const client = await connect(args);
  const keys = await client.local.listKeys(await workspaceOf(client));
  const scope = (ids: 'all' | readonly string[]) => (ids === 'all' ? 'all' : `${ids.length}`);
  return printList(args, keys, [
    { title: 'ID', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name, flexible: true },
    { title: 'MAILBOXES', of: ({ scopes }) => scope(scopes.mailboxes), align: 'right' },
    { title: 'CREATED', of: ({ createdAt }) => writeMoment(createdAt).slice(0, 10) },
    { title: 'REVOKED', of: ({ revokedAt }) => (revokedAt === null ? '' : writeMoment(revokedAt).slice(0, 10)) },
  ]);
}

export async function revokeKey(args: Arguments): Promise<number> {
  const client = await connect(args);
  const id = args.operand() ?? '';
  await client.local.revokeKey(id);
  if (args.isOn('json')) printJson({ id });
  return 0;
}

function namesIn(list: string | null): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
