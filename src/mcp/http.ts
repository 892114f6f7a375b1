import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Cap } from './caps.ts';
import type { ToolContext } from './desk.ts';
import { createAgentServer } from './server.ts';

/** The largest request in bytes. */
const MAX_BODY = 1_048_576;

/** The endpoint of MCP over HTTP for agents with the same capabilities. */
export interface AgentEndpoint {
  serve(req: IncomingMessage, res: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates an endpoint of MCP over HTTP (Streamable HTTP). It keeps no session: each request gets its own MCP server,
 * and all of them share the desk. The caller must have checked the access.
 */
export function createAgentEndpoint(desk: ToolContext, caps: readonly Cap[]): AgentEndpoint {
  const handler = createMcpHandler(() => createAgentServer(desk, caps), { maxRequestBodySize: MAX_BODY });
  const serve = toNodeHandler(handler);
  return {
    // A server's request has a method and a URL. Node's type says otherwise, because a client's answer has the same type.
    serve: (req, res) => serve(req as NodeIncomingMessageLike, res),
    close: () => handler.close(),
  };
}
