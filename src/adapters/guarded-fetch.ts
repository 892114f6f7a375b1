import type { Fetcher } from '../ports/fetcher.ts';
import type { ForwardAgent } from './forward-agent.ts';

/**
 * Forwards over undici, which is loaded by the first request that is sent. `guarded`: addresses that others on the internet
 * could not reach are not connected to, whatever name they have (docs/contract.md#forwarding).
 */
export function createFetcher(guarded: boolean): Fetcher {
  let opened: Promise<ForwardAgent> | null = null;
  const open = async (): Promise<ForwardAgent> => {
    const { ForwardAgent } = await import('./forward-agent.ts');
    return new ForwardAgent({ guarded });
  };
  return {
    send: async (request) => {
      opened ??= open();
      return (await opened).send(request);
    },
    close: async () => {
      await (await opened)?.close();
    },
  };
}
