import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuse } from '../domain/errors.ts';
import { lazily } from '../lazily.ts';
import type { Parser } from '../ports/mail.ts';
import type { Agents } from '../ports/server.ts';
import type { Clock, Random } from '../ports/system.ts';
import type { Runtime } from '../runtime.ts';
import { createFenceId } from '../text/fence.ts';
import type { AgentEndpoint } from './http.ts';
import { type Cap, parseCaps, RememberedIds, type ToolContext } from './tool-context.ts';

/** The length of the name of a session. Nobody can guess it and cancel the calls of another client. */
const SESSION_BYTES = 16;

/**
 * Creates the MCP endpoint of a server. It offers the tools of `mailcap mcp`, which call the API of the server like any
 * client. The SDK and the client are loaded with the first request.
 */
export function createAgents(runtime: Runtime, random: Random, clock: Clock, parser: Pick<Parser, 'see'>): Agents {
  const endpoints = new Map<string, Promise<AgentEndpoint>>();
  const toolContext = lazily(() => createToolContext(runtime, random, clock, parser));
  const newSession = () => Buffer.from(random.bytes(SESSION_BYTES)).toString('hex');
  const endpointFor = (caps: readonly Cap[]): Promise<AgentEndpoint> => {
    const known = endpoints.get(caps.join());
    if (known !== undefined) return known;
    const made = Promise.all([toolContext(), import('./http.ts')]).then(([it, http]) =>
      http.createAgentEndpoint(it, caps, newSession),
    );
    endpoints.set(caps.join(), made);
    made.catch(() => endpoints.delete(caps.join()));
    return made;
  };
  return {
    serve: async (req: IncomingMessage, res: ServerResponse, given) => {
      if (runtime.ready === null) throw refuse('starting');
      const parsed = parseCaps(given);
      if ('unknown' in parsed) throw refuse('invalid_caps');
      await (await endpointFor(parsed.caps)).serve(req, res);
    },
    close: async () => {
      for (const endpoint of endpoints.values()) await (await endpoint).close();
    },
  };
}

async function createToolContext(
  runtime: Runtime,
  random: Random,
  clock: Clock,
  parser: Pick<Parser, 'see'>,
): Promise<ToolContext> {
  const { MailcapError } = await import('../client/index.ts');
  const { createToolClient } = await import('../client/client.ts');
  const { ready, adminToken } = runtime;
  if (ready === null) throw refuse('starting');
  const { url: baseUrl, apiKey, workspaceId, mailDomain, webhookBaseUrl } = ready;
  const known = adminToken === null ? {} : { adminToken };
  const client = createToolClient({ baseUrl, apiKey, workspaceId, mailDomain, webhookBaseUrl, ...known });
  return {
    client: async () => client,
    see: (mail) => parser.see(mail),
    fenceId: () => createFenceId((count) => random.bytes(count)),
    now: () => clock.now(),
    steady: () => clock.steady(),
    returned: new RememberedIds(),
    made: new RememberedIds(),
    explain: (error) => (error instanceof MailcapError ? error.message : null),
  };
}
