import type { DeliveryPorts } from '../../webhooks/deliver.ts';
import type { Api } from '../connection/api.ts';
import { now, sleep } from '../environment.ts';
import { NoServerError } from '../errors.ts';
import { LONGEST_AWAIT_SECONDS } from '../transport/transport.ts';
import { ownClock, ownWorkspace } from '../workspace-clock.ts';

/** The clock that the pauses of a delivery follow. */
export interface Pauses extends Pick<DeliveryPorts, 'now' | 'until'> {
  /** `true` if it is the clock of a workspace or server, which can be set. */
  readonly isShared: boolean;
}

type WithClock = Pick<Api, 'hasLocalApi' | 'workspaceId' | 'local'>;

/** The longest time of a timer in milliseconds. A timer with a longer time would end at once. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;

/** Returns the clock of the client's workspace, or this machine's clock for null and for a server that has none or does not run. */
export function clockOf(api: null, signal: AbortSignal): Pauses;
export function clockOf(api: WithClock | null, signal: AbortSignal): Pauses | Promise<Pauses>;
export function clockOf(api: WithClock | null, signal: AbortSignal): Pauses | Promise<Pauses> {
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

function shared(api: WithClock, signal: AbortSignal): Pauses {
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

async function hasClock(api: WithClock): Promise<boolean> {
  try {
    return await api.hasLocalApi();
  } catch (error) {
    if (error instanceof NoServerError && error.code === 'no_server') return false;
    throw error;
  }
}
