import { type Credentials, type DataDir, readCredentials, writeCredentials } from './adapters/data-dir.ts';
import { needsToken } from './config/host.ts';
import { flagOf } from './config/options.ts';
import { UserError } from './config/user-error.ts';
import type { Context } from './context.ts';
import { hashKey, isAdminToken, writeKey } from './domain/api-key.ts';

/**
 * Determines the development key and, if others can reach the server, the token of the local API. Each is given, kept
 * from an earlier start, or newly made. Servers that share a store share both. `dir` is where they are kept, if
 * anywhere.
 */
export async function identify(
  ctx: Context,
  dir: DataDir | null,
): Promise<{ apiKey: string; adminToken: string | null }> {
  const { config, random, cluster } = ctx;
  const own = dir === null || cluster.server !== null ? {} : keptCredentials(dir, ctx);
  const kept = {
    apiKey: (await cluster.secret('apiKey')) ?? own.apiKey,
    adminToken: (await cluster.secret('adminToken')) ?? own.adminToken,
  };
  const keptKey = kept.apiKey !== undefined && (await isRevoked(ctx, kept.apiKey)) ? undefined : kept.apiKey;
  // A person may have written one that is too short.
  const keptToken = kept.adminToken !== undefined && isAdminToken(kept.adminToken) ? kept.adminToken : undefined;
  const makeKey = () => writeKey(random.bytes(32));
  const makeToken = () => Buffer.from(random.bytes(32)).toString('base64url');
  const apiKey = await agree(ctx, 'apiKey', keptKey ?? makeKey(), kept.apiKey);
  const adminToken = !needsToken(config)
    ? null
    : await agree(ctx, 'adminToken', keptToken ?? makeToken(), kept.adminToken);
  const inForce: Credentials = { ...own, apiKey, ...(adminToken === null ? {} : { adminToken }) };
  if (dir !== null) writeCredentials(dir, inForce);
  return { apiKey, adminToken };
}

/** Agrees with the other servers of the store on a secret: the given one, or else `proposed`. */
async function agree(
  { config, cluster }: Context,
  name: 'apiKey' | 'adminToken',
  proposed: string,
  shared: string | undefined,
): Promise<string> {
  const given = config[name];
  const isOther = given !== null && shared !== undefined && given !== shared;
  if (!isOther || (await cluster.others()) === 0) {
    const agreed = await cluster.agreeOn(name, given ?? proposed, shared);
    if (given === null || agreed === given) return agreed;
  }
  const flag = `--${flagOf(name)}`;
  throw new UserError(`another server of this store has a different ${flag}: give all servers the same, or none.`, 1);
}

function keptCredentials(dir: DataDir, { log }: Context): Credentials {
  try {
    return readCredentials(dir.path, (sentence) => log.warn(sentence));
  } catch (error) {
    throw new UserError(`the credentials in ${dir.path} can't be read: remove the file to get new ones.`, 1, {
      cause: error,
    });
  }
}

/** Tells whether the key is revoked. A restart then makes a new one. */
async function isRevoked({ store }: Context, apiKey: string): Promise<boolean> {
  return ((await store.read.keys.byHash(hashKey(apiKey)))?.revokedAt ?? null) !== null;
}
