import { type Client, createClient, NoServerError } from '../../src/client/index.ts';
import { createClientFrom } from '../../src/client/internal.ts';
import { inTheClear, sendingVariables, setVariables, variablesOf } from './environment.ts';
import { beside, errandsOf } from './errands.ts';
import { type ServerEnds, setKeeping } from './kept.ts';
import { deleteLeftovers, keptName, ownName, type RunProject } from './leftovers.ts';
import { loopbackFetch } from './loopback-fetch.ts';
import { warnIfRefused } from './running-server.ts';
import { startServer } from './start-server.ts';

export interface WorkerOptions {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** The name of the worker's workspace on the server. */
  readonly name: string;
  /** The project of the tests. Its next run deletes what this one keeps. */
  readonly project: RunProject;
  /** `true` if the server at `MAILCAP_URL` ends with the run. */
  readonly isOfRun?: boolean;
}

/** The client that the tests of one worker share. */
export interface Worker {
  readonly client: Client;
  /** `true` if the worker started the server, which an app that runs already does not know. */
  readonly startedServer: boolean;
  close(): Promise<void>;
}

/**
 * Opens a client for a worker. On a server with a local API the client has a new workspace without limits, otherwise
 * the workspace of the key.
 */
export async function openWorker(options: WorkerOptions): Promise<Worker> {
  const { client: base, ends, stop } = await reach(options);
  const startedServer = ends === 'with the worker';
  try {
    if (!(await base.hasLocalApi())) return { client: base, startedServer, close: stop };
    const { local } = base;
    const [{ url, adminToken }, info] = await Promise.all([base.server(), local.getInfo()]);
    // The code under test may run in this process.
    const undo = setVariables(sendingVariables(url, inTheClear(info.smtpUrl)));
    const { id } = await local.createWorkspace({ name: ownName(options.name), limits: 'off' });
    const { key } = await local.createKey(id, { name: options.name });
    const { mailDomain, webhookBaseUrl } = info;
    const client = createClientFrom({
      baseUrl: url,
      apiKey: key,
      workspaceId: id,
      adminToken: adminToken ?? undefined,
      mailDomain,
      webhookBaseUrl,
      fetch: loopbackFetch,
    });
    // If this fails, the next worker tries again.
    beside(client, deleteLeftovers(local, options.project));
    let kept: Promise<boolean> | null = null;
    const keep = async (isClosed: boolean) => {
      const name = ends === 'with the worker' ? null : keptName(options.name, options.project, { isClosed });
      if (name !== null) await local.updateWorkspace(id, { name });
      return name !== null;
    };
    setKeeping(client, { project: options.project, ends, keep: () => (kept ??= keep(false)) });
    return {
      client,
      startedServer,
      close: async () => {
        undo();
        await errandsOf(client);
        if (await kept?.catch(() => false)) await keep(true);
        else await local.deleteWorkspace(id);
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
  readonly ends: ServerEnds;
  stop(): Promise<void>;
}

/**
 * Finds the server from the options, or one that runs in this directory or above. Otherwise starts one that ends with
 * this process.
 */
async function reach({ url, apiKey, isOfRun = false }: WorkerOptions): Promise<Reached> {
  const client = createClient({ baseUrl: url, apiKey, fetch: loopbackFetch });
  try {
    await client.server();
    return { client, ends: isOfRun ? 'with the run' : 'later', stop: async () => {} };
  } catch (error) {
    if (!(error instanceof NoServerError)) throw error;
    if (error.code !== 'server_refused' && error.code !== 'no_server') throw error;
    warnIfRefused(error);
  }
  const { ready, stop } = await startServer();
  const undo = setVariables(variablesOf(ready));
  const { url: baseUrl, workspaceId } = ready;
  return {
    client: createClientFrom({ baseUrl, apiKey: ready.apiKey, workspaceId, fetch: loopbackFetch }),
    ends: 'with the worker',
    stop: async () => {
      undo();
      await stop();
    },
  };
}
