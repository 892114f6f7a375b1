import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createAgentServer } from './server.ts';
import type { Cap, ToolContext } from './tool-context.ts';

/** Serves MCP on standard input and output until the agent closes its end. */
export async function serveAgentOnStdio(toolContext: ToolContext, caps: readonly Cap[]): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve);
    process.stdin.once('close', resolve);
  });
  const handle = serveStdio(() => createAgentServer(toolContext, caps));
  await ended;
  await handle.close();
}
