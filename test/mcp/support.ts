import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createTransport } from 'nodemailer';
import { onTestFinished } from 'vitest';
import type { MailcapOptions } from '../../src/index.ts';
import { BIN } from '../support/cli.ts';
import { startServer, type TestServer } from '../support/mailcap.ts';

/** The answer of a tool, as a language model gets it. */
export interface ToolAnswer {
  readonly text: string;
  readonly data: Record<string, unknown>;
  readonly isError: boolean;
}

/** An agent: the SDK's client with one server. */
export interface Agent {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<ToolAnswer>;
}

/** Connects an agent to `/mcp` of a server. */
export async function overHttp(server: TestServer, caps = ''): Promise<Agent> {
  return connected(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp${caps}`)));
}

/** Connects an agent to `mailcap mcp`, which the SDK starts as its own process. */
export async function overStdio(server: TestServer, cwd: string, args: readonly string[] = []): Promise<Agent> {
  const env = { MAILCAP_URL: server.url, MAILCAP_API_KEY: server.apiKey, PATH: process.env['PATH'] ?? '' };
  return connected(
    new StdioClientTransport({ command: process.execPath, args: [BIN, 'mcp', ...args], cwd, env, stderr: 'pipe' }),
  );
}

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' });
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    client,
    call: async (name, given = {}) => {
      const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: given });
      const [first] = content;
      const data = structuredContent;
      if (first?.type !== 'text') throw new Error('the answer has no text');
      return { text: first.text, data: typeof data === 'object' && data !== null ? { ...data } : {}, isError };
    },
  };
}

/** Starts a server, and returns how to mail to it. */
export async function mailServer(options: MailcapOptions = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  return { server, ...mailTo(server) };
}

/** Returns how to mail to a server. */
export function mailTo(server: TestServer) {
  const transport = createTransport({ ...server.smtp, ignoreTLS: true });
  const send = (mail: Parameters<typeof transport.sendMail>[0]) =>
    transport.sendMail({ from: 'app@shop.example', to: 'ada@inbox.mailcap.example.com', subject: 'Welcome', ...mail });
  const sendRaw = (raw: string) =>
    transport.sendMail({ envelope: { from: 'app@shop.example', to: 'ada@inbox.mailcap.example.com' }, raw });
  return { send, sendRaw };
}
