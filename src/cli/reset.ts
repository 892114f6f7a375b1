import { RefusedError } from '../client/errors.ts';
import type { Client } from '../client/index.ts';
import { saidCount } from '../text/said.ts';
import { saidReset } from '../text/wording.ts';
import { isAgreed } from './ask.ts';
import { type Arguments, EXIT } from './command.ts';
import { connect } from './connect.ts';
import { printResult, sayShared } from './output.ts';
import { withProgress } from './progress.ts';

const DEVELOPMENT = 'development';
/** The most sends that are counted. */
const MOST_SENDS = 200;

/** The timeout of a reset, in milliseconds. A large store takes a while. */
const PATIENCE_MS = 10 * 60_000;

/** Runs `mailcap reset`: returns the server to its seeded state, after asking the user. */
export async function reset(args: Arguments): Promise<number> {
  const client = await connect(args, PATIENCE_MS);
  const { url, holds, follows, done } = await previewReset(client);
  if (!(await isAgreed(args, `reset ${url}, which holds ${holds}`, follows))) return EXIT.failed;
  await withProgress('resetting', null, () => client.local.reset());
  return printResult(args, { reset: true }, () => sayShared(done));
}

export interface ResetPreview {
  readonly url: string;
  /** All messages and mailboxes of the server. */
  readonly holds: string;
  /** The second sentence of the question. It tells what stays, and counts what goes beside mail. */
  readonly follows: string;
  /** The sentence to say after it. It lists what is deleted, and says so if the revoked development key is valid again. */
  readonly done: string;
}

export async function previewReset(client: Client): Promise<ResetPreview> {
  const { url, counts, workspaceId } = await client.local.getInfo();
  const [keys, authenticators, webhooks, sends] = await Promise.all([
    client.local.listKeys(workspaceId),
    client.local.listAuthenticators(workspaceId),
    countWebhooks(client),
    client.local.listSends({ limit: MOST_SENDS }),
  ]);
  const own = keys.filter(({ name }) => name === DEVELOPMENT);
  const isRevoked = own.length > 0 && own.every(({ revokedAt }) => revokedAt !== null);
  const active = keys.filter(({ name, revokedAt }) => revokedAt === null && name !== DEVELOPMENT);
  const others = [
    some(counts.mailboxes - 1, 'mailbox', 'mailboxes'),
    some(active.length, 'API key'),
    some(webhooks, 'webhook'),
    some(authenticators.length, 'authenticator'),
    sends.length < MOST_SENDS ? some(sends.length, 'send') : [`${MOST_SENDS} sends or more`],
  ].flat();
  const gone = [...some(counts.messages, 'message'), ...others];
  const counted = others.length === 0 ? '' : `: ${listed(others)}`;
  return {
    url,
    holds: `${saidCount(counts.messages, 'message')} and ${saidCount(counts.mailboxes, 'mailbox', 'mailboxes')}`,
    follows: `The inbox mailbox and the development key stay; other mailboxes, keys, webhooks, authenticators and sends go too${counted}.`,
    done: `${saidReset(gone.length === 0 ? 'nothing' : listed(gone))}${isRevoked ? ' The development key, which was revoked, is valid again.' : ''}`,
  };
}

/** Counts the webhooks; 0 if the key of this caller was revoked, because the local API does not list them. */
async function countWebhooks(client: Client): Promise<number> {
  if ((await client.server()).apiKey === null) return 0;
  return client.listWebhooks().then(
    ({ length }) => length,
    (error: unknown) => {
      if (error instanceof RefusedError && (error.status === 401 || error.status === 403)) return 0;
      throw error;
    },
  );
}

function some(count: number, one: string, many?: string): string[] {
  return count > 0 ? [saidCount(count, one, many)] : [];
}

function listed(all: readonly string[]): string {
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}
