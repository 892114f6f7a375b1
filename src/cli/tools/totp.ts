import type { Client } from '../../client/index.ts';
import { ConfigError } from '../../config/user-error.ts';
import type { Arguments } from '../command.ts';
import { connect, workspaceOf } from '../connect.ts';
import { byIdOrName } from '../named.ts';
import { print, printedAsJson, printResult, say } from '../output.ts';
import { idColumn, printList } from '../table.ts';

export async function addAuthenticator(args: Arguments): Promise<number> {
  const name = args.operand() ?? '';
  const secret = args.text('secret');
  const uri = args.text('uri');
  if ((secret === null) === (uri === null)) throw new ConfigError('the secret is missing: give --secret or --uri.');
  const client = await connect(args);
  const fields = uri === null ? { name, secret: secret ?? '' } : { name, uri };
  const authenticator = await client.local.createAuthenticator(await workspaceOf(client), fields);
  return printResult(args, authenticator, () => print(authenticator.id));
}

export async function listAuthenticators(args: Arguments): Promise<number> {
  const client = await connect(args);
  const authenticators = await client.local.listAuthenticators(await workspaceOf(client));
  return printList(
    args,
    authenticators,
    [
      idColumn(authenticators),
      { title: 'NAME', of: ({ name }) => name, flexible: true },
      { title: 'DIGITS', of: ({ digits }) => digits, align: 'right', from: 50 },
      { title: 'PERIOD', of: ({ period }) => period, align: 'right', from: 50 },
    ],
    'there is no authenticator; `mailcap totp add <name>` stores one.',
  );
}

/**
 * Prints the code of a stored authenticator, or of --secret or --uri, which are not stored. The time that it stays valid goes
 * to standard error.
 */
export async function showCode(args: Arguments): Promise<number> {
  const named = args.operand();
  const [secret, uri] = [args.text('secret'), args.text('uri')];
  if ([named, secret, uri].filter((one) => one !== null).length !== 1)
    throw new ConfigError('name one authenticator, or give --secret or --uri.');
  const client = await connect(args);
  const code =
    named === null
      ? await client.local.computeTotp({
          ...(uri === null ? { secret: secret ?? '' } : { uri }),
          workspaceId: await workspaceOf(client),
        })
      : await client.getTotpCode(await idOf(client, named));
  if (printedAsJson(args, code)) return 0;
  print(code.code);
  if (process.stderr.isTTY) say(`it is valid for ${code.expiresInSeconds} s.`);
  return 0;
}

/** Returns the id of an authenticator. Only the local API can look up a name; the cloud takes only ids. */
async function idOf(client: Client, named: string): Promise<string> {
  if (/^[0-9a-z]{26}$/i.test(named) || !(await client.hasLocalApi())) return named;
  const all = await client.local.listAuthenticators(await workspaceOf(client));
  return byIdOrName(all, named, ({ name }) => name, 'authenticator', 'totp').id;
}
