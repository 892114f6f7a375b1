import type { Context } from '../context.ts';
import type { Exchange } from './exchange.ts';
import { checkLocal } from './local/guard.ts';
import { respondError } from './respond.ts';

/** The path of the tools for agents. */
export const MCP_PATH = '/mcp';

/**
 * Serves a request of an agent (docs/agents.md) behind the guard of the local API. The SDK writes the answer, which is
 * JSON-RPC; a refusal before it is one of ours.
 */
export async function serveMcp(ctx: Context, exchange: Exchange): Promise<void> {
  const { req, res, query, requestId } = exchange;
  const ended = exchange.onEnd(() => {
    if (exchange.closing) void ctx.agents.close();
  });
  try {
    await checkLocal(ctx, exchange);
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('Cache-Control', 'no-store');
    await ctx.agents.serve(req, res, new URLSearchParams(query).get('caps') ?? '');
  } catch (error) {
    if (!res.headersSent) for (const name of res.getHeaderNames()) res.removeHeader(name);
    respondError(exchange, error, ctx.log);
  } finally {
    ended();
  }
}
