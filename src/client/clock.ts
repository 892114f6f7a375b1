import type { DeliveryPorts } from '../webhooks/deliver.ts';
import type { Api } from './connection/caller.ts';
import type { LocalApi } from './connection/calls.ts';
import type { Clock, ClockSetting } from './connection/local-resources.ts';
import { now, sleep } from './environment.ts';
import { MailcapError, NoServerError } from './errors.ts';
import { type CallOptions, LONGEST_AWAIT_SECONDS } from './transport/transport.ts';

// The clock of a workspace, which a test can set, and what follows it.

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

/** The clock that the pauses of a delivery follow. */
export interface Pauses extends Pick<DeliveryPorts, 'now' | 'until'> {
  /** `true` if it is the clock of a workspace or server, which can be set. */
  readonly isShared: boolean;
}

/** The longest time of a timer in milliseconds. A timer with a longer time would end at once. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/** Returns the clock of the client's workspace, or this machine's clock for null and for a server that has none or does not run. */
export function clockOf(api: null, signal: AbortSignal): Pauses;
export function clockOf(api: WithWorkspace | null, signal: AbortSignal): Pauses | Promise<Pauses>;
export function clockOf(api: WithWorkspace | null, signal: AbortSignal): Pauses | Promise<Pauses> {
  const own: Pauses = {
    isShared: false,
    now,
    until: async (time) => {
      for (let rest = time - now(); rest > 0; rest = time - now())
        await sleep(Math.min(rest, LONGEST_SLEEP_MS), signal);
      return true;
    },
  };
  return api === null ? own : hasClock(api).then((isThere) => (isThere ? shared(api, signal) : own));
}

function shared(api: WithWorkspace, signal: AbortSignal): Pauses {
  const { local } = api;
  return {
    isShared: true,
    now: async () => Date.parse((await ownClock(api, { signal })).now),
    until: async (time) => {
      const id = await ownWorkspace(api);
      const query = { until: new Date(time), timeout: LONGEST_AWAIT_SECONDS };
      const once = () =>
        id === null ? local.awaitClock(query, { signal }) : local.awaitWorkspaceClock(id, query, { signal });
      while ((await once()) === null);
      return true;
    },
  };
}

async function hasClock(api: WithWorkspace): Promise<boolean> {
  try {
    return await api.hasLocalApi();
  } catch (error) {
    if (error instanceof NoServerError && error.code === 'no_server') return false;
    throw error;
  }
}
