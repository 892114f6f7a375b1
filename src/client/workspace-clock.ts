import type { Api } from './connection/api.ts';
import type { LocalApi } from './connection/calls.ts';
import type { Clock, ClockSetting } from './connection/local-resources.ts';
import { MailcapError } from './errors.ts';
import type { CallOptions } from './transport/transport.ts';

/** The clients that have set a clock, so that times of receipt no longer tell the order. */
const settlers = new WeakSet<object>();

/** Returns the local API of a client that notices when it sets a clock. */
export function noticingClock(local: LocalApi, client: () => object): LocalApi {
  const noticed = <T>(setting: Promise<T>) => {
    settlers.add(client());
    return setting;
  };
  return {
    ...local,
    setClock: (...given) => noticed(local.setClock(...given)),
    setWorkspaceClock: (...given) => noticed(local.setWorkspaceClock(...given)),
  };
}

/** Tells whether a client has ever set a clock. */
export function hasSetClock(client: object): boolean {
  return settlers.has(client);
}

type WithWorkspace = Pick<Api, 'hasLocalApi' | 'workspaceId' | 'local'>;

/** Sets the clock of the client's workspace. Null lets it follow the clock of the server again. */
export async function setOwnClock(api: WithWorkspace, setting: ClockSetting, options?: CallOptions): Promise<Clock> {
  // Without a local API the call itself says so, whether or not the workspace is known.
  const id = (await api.hasLocalApi()) ? await api.workspaceId() : '';
  return api.local.setWorkspaceClock(id, setting, options);
}

/** Returns the clock of the client's workspace, or that of the server if nothing tells the workspace. */
export async function ownClock(api: Pick<Api, 'workspaceId' | 'local'>, options?: CallOptions): Promise<Clock> {
  const id = await ownWorkspace(api);
  return id === null ? api.local.getClock(options) : api.local.getWorkspaceClock(id, options);
}

/**
 * Returns the client's workspace. Null if nothing tells it: the workspace owns nothing yet, or the server does not know the
 * key. No test has shifted its clock then.
 */
export async function ownWorkspace(api: Pick<Api, 'workspaceId'>): Promise<string | null> {
  try {
    return await api.workspaceId();
  } catch (error) {
    if (error instanceof MailcapError && ['unknown_workspace', 'unauthorized'].includes(error.code)) return null;
    throw error;
  }
}
