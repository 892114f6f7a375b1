import { type Client, createClient, NoServerError } from '../../src/client/index.ts';
import { inTheClear, setVariables, variablesOf } from './environment.ts';
import { deleteLeftovers, ownName } from './leftovers.ts';
import { startServer } from './start-server.ts';

export interface WorkerOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** Of the worker, for those who look at the server's workspaces. */
  readonly name: string;
}

/** What the tests of one worker share. */
export interface Worker {
  readonly client: Client;
  close(): Promise<void>;
}

/** What goes on beside the tests, by the client it is done with. */
const errands = new WeakMap<Client, Set<Promise<void>>>();

/**
 * Lets the next test begin meanwhile. What fails is not told: it tidies up in a workspace that goes with all it owns when the
 * worker is closed, which waits for it.
 */
export function beside(client: Client, errand: Promise<void>): void {
  const pending = errands.get(client) ?? new Set();
  errands.set(client, pending);
  const done = errand.catch(() => {}).finally(() => pending.delete(done));
  pending.add(done);
}

/** Waits until what goes on beside the tests of a client is done. */
export async function errandsOf(client: Client): Promise<void> {
  await Promise.all(errands.get(client) ?? []);
}

/** A client for a worker: in a workspace of its own, without limits, where there is a local API; else as the key has it. */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { client: base, stop } = await reach(options);
  try {
    if (!(await base.hasLocalApi())) return { client: base, close: stop };
    const { local } = base;
    const [{ url, adminToken }, info] = await Promise.all([base.server(), local.info()]);
    // The code under test may be in this process.
    const undo = setVariables({ MAILCAP_SMTP_URL: inTheClear(info.smtpUrl) });
    const { id } = await local.createWorkspace({ name: ownName(options.name), limits: 'off' });
    const { key } = await local.createKey(id, { name: options.name });
    const { mailDomain, webhookBaseUrl } = info;
    const client = createClient({
      baseUrl: url,
      apiKey: key,
      workspaceId: id,
      adminToken: adminToken ?? undefined,
      mailDomain,
      webhookBaseUrl,
    });
    // The next worker tries again.
    beside(client, deleteLeftovers(local));
    return {
      client,
      close: async () => {
        undo();
        await errandsOf(client);
        await local.deleteWorkspace(id);
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Reached {
  readonly client: Client;
  stop(): Promise<void>;
}

/** The server that is told, or that runs here or above; else one is started, that ends with this process. */
async function reach({ url, apiKey }: WorkerOptions): Promise<Reached> {
  const client = createClient({ baseUrl: url, apiKey });
  try {
    await client.server();
    return { client, stop: async () => {} };
  } catch (error) {
    if (!(error instanceof NoServerError) || error.code !== 'no_server') throw error;
  }
  const { ready, stop } = await startServer();
  const undo = setVariables(variablesOf(ready));
  return {
    client: createClient({ baseUrl: ready.url, apiKey: ready.apiKey, workspaceId: ready.workspaceId }),
    stop: async () => {
      undo();
      await stop();
    },
  };
}
