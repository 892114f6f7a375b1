import type { IncomingMessage, ServerResponse } from 'node:http';

/** The tools for agents over HTTP (MCP). It is loaded with the first request, because most servers never get one. */
export interface Agents {
  /**
   * Answers a request that may use the local API. `caps` are the capabilities of the agent, separated by commas.
   * Resolves when the answer is sent. Throws `starting` before the server is ready, and `invalid_caps` for an unknown
   * capability.
   */
  serve(req: IncomingMessage, res: ServerResponse, caps: string): Promise<void>;
  /** Ends the running answers. */
  close(): Promise<void>;
}
