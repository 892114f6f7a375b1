import { harmlessLine } from '../../text/harmless.ts';
import { isAgreed } from '../ask.ts';
import { type Arguments, EXIT } from '../command.ts';
import { connect, findMailbox, workspaceOf } from '../connect.ts';
import { byIdOrName } from '../named.ts';
import { print, printedAsJson, printResult, say, writeMoment } from '../output.ts';
import { idColumn, printList } from '../table.ts';

/** The name of the key that the server is seeded with. */
const DEVELOPMENT = 'development';
const ANOTHER_KEY =
  'A restart of `mailcap dev` creates another, or `mailcap keys create <name>` creates one for --api-key.';
const WITHOUT_DEVELOPMENT_KEY = `Commands, fixtures and apps that use it get 401 from then on. ${ANOTHER_KEY}`;

/** Creates a key and prints it. It is never shown again. */
export async function createKey(args: Arguments): Promise<number> {
  const webhooks = args.oneOf('webhooks', ['all', 'none'], 'all');
  const client = await connect(args);
  const mailboxes = await Promise.all(args.list('mailboxes').map((name) => findMailbox(client, name)));
  const authenticators = args.list('authenticators');
  const key = await client.local.createKey(await workspaceOf(client), {
    name: args.operand() ?? '',
    scopes: {
      mailboxes: mailboxes.length === 0 ? 'all' : mailboxes.map(({ id }) => id),
      authenticators: authenticators.length === 0 ? 'all' : authenticators,
      webhooks,
    },
  });
  if (printedAsJson(args, key)) return 0;
  print(key.key);
  say(`its id is ${key.id}; the key is not shown again.`);
  if (mailboxes.length > 0 && webhooks === 'all')
    say('it also reads and deletes every captured request of the workspace: --webhooks none creates one without them.');
  return 0;
}

export async function listKeys(args: Arguments): Promise<number> {
  const client = await connect(args);
  const keys = await client.local.listKeys(await workspaceOf(client));
  const scope = (ids: 'all' | readonly string[]) => (ids === 'all' ? 'all' : `${ids.length}`);
  return printList(
    args,
    keys,
    [
      idColumn(keys),
      { title: 'NAME', of: ({ name }) => name, flexible: true },
      { title: 'MAILBOXES', of: ({ scopes }) => scope(scopes.mailboxes), align: 'right', from: 50 },
      { title: 'WEBHOOKS', of: ({ scopes }) => scopes.webhooks, from: 70 },
      { title: 'CREATED', of: ({ createdAt }) => writeMoment(createdAt).slice(0, 10), from: 60 },
      { title: 'REVOKED', of: ({ revokedAt }) => (revokedAt === null ? '' : writeMoment(revokedAt).slice(0, 10)) },
    ],
    'there is no API key; `mailcap keys create <name>` creates one.',
  );
}

/** Revokes a key, found by its id, the beginning of its id, or its name. This can't be undone. */
export async function revokeKey(args: Arguments): Promise<number> {
  const client = await connect(args);
  const named = args.operand() ?? '';
  const keys = await client.local.listKeys(await workspaceOf(client));
  const active = keys.filter(({ revokedAt }) => revokedAt === null);
  const isRevoked =
    !active.some(({ id }) => id === named.toUpperCase()) && keys.some(({ id }) => id === named.toUpperCase());
  if (isRevoked) {
    say(`${named} is revoked already.`);
    return EXIT.done;
  }
  const { id, name } = byIdOrName(active, named, (key) => key.name, 'API key', 'keys');
  const isDevelopment = name === DEVELOPMENT;
  const what = `the ${isDevelopment ? 'development key' : `key "${harmlessLine(name ?? id, 100)}"`}`;
  const follows = isDevelopment ? WITHOUT_DEVELOPMENT_KEY : 'Programs that use it get 401 from then on.';
  if (!(await isAgreed(args, `revoke ${what}`, follows, 'Nothing was revoked.'))) return EXIT.failed;
  await client.local.revokeKey(id);
  return printResult(args, { id }, () => say(`${what} is revoked.${isDevelopment ? ` ${ANOTHER_KEY}` : ''}`));
}
