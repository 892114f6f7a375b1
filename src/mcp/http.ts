import type { IncomingMessage, ServerResponse } from 'node:http';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import { createAgentServer, RunningCalls } from './server.ts';
import type { Cap, ToolContext } from './tool-context.ts';

/** The header field with the session. */
const SESSION = 'mcp-session-id';
/** The largest request in bytes. */
const MAX_BODY = 1_048_576;

/** The endpoint of MCP over HTTP for agents with the same capabilities. */
export interface AgentEndpoint {
  serve(req: IncomingMessage, res: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates an endpoint of MCP over HTTP (Streamable HTTP). Each request gets its own MCP server, and all of them share the
 * context of the tools. A session is only a name for its client, by which the client can cancel its calls: the server keeps none. The
 * caller must have checked the access.
 */
export function createAgentEndpoint(
  toolContext: ToolContext,
  caps: readonly Cap[],
  newSession: () => string,
): AgentEndpoint {
  const calls = new RunningCalls();
  const factory = ({ requestInfo }: McpRequestContext) => {
    const session = requestInfo?.headers.get(SESSION) ?? null;
    if (session === null) return createAgentServer(toolContext, caps);
    // Closing the server of a call ends its wait and its answer.
    const server = createAgentServer(toolContext, caps, (id) => calls.begin(session, id, () => void server.close()));
    server.server.setNotificationHandler('notifications/cancelled', ({ params: { requestId } }) => {
      if (requestId !== undefined) calls.cancel(session, requestId);
    });
    return server;
  };
  const handler = createMcpHandler(factory, { maxRequestBodySize: MAX_BODY });
  const serve = toNodeHandler(handler);
  return {
    // A server's request has a method and a URL. Node's type says otherwise, because a client's answer has the same type.
    serve: (req, res) => {
      // A client names the version of the protocol in all requests but the first, which takes the name of its session.
      if (req.headers['mcp-protocol-version'] === undefined && req.headers[SESSION] === undefined)
        res.setHeader(SESSION, newSession());
      return serve(req as NodeIncomingMessageLike, res);
    },
    close: () => handler.close(),
  };
}
