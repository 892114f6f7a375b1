import type { Fetcher } from '../ports/outbound.ts';
import type { ForwardAgent } from './forward-agent.ts';

/**
 * Creates a fetcher that uses undici and loads it with the first request. With `guarded` it refuses to connect to
 * addresses that are not public, also if a name resolves to one (docs/webhooks.md#forwarding).
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
