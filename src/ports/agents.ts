import type { IncomingMessage, ServerResponse } from 'node:http';

/** The tools for agents over HTTP (MCP). It is loaded with the first request, because most servers never get one. */
export interface Agents {
  /**
   * Answers a request that may use the local API. `caps` are the capabilities of the agent, with commas between them.
   * Resolves when the answer is sent. Throws `starting` before the server is up, and `invalid_caps` for a capability that
   * is not known.
   */
  serve(req: IncomingMessage, res: ServerResponse, caps: string): Promise<void>;
  /** Ends the answers under way. */
  close(): Promise<void>;
}
