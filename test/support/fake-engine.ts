import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { loadConfig } from '../../src/config/load.ts';
import { type RunningServer, startMailcap } from '../../src/mailcap.ts';
import { DOCKERFILE, imageConfig } from './dockerfile.ts';

/** The container that testcontainers asks the engine to create. */
export interface Asked {
  readonly Image: string;
  readonly Env: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly HostConfig: { readonly PortBindings: Readonly<Record<string, readonly { readonly HostPort: string }[]>> };
  readonly Labels: Readonly<Record<string, string>>;
}

/**
 * An engine that speaks as much of Docker's HTTP API as testcontainers uses. A container is a server in this process,
 * with the variables of the Dockerfile and those it was created with, on free ports.
 */
export interface FakeEngine {
  /** The value of DOCKER_HOST. */
  readonly url: string;
  /** The containers that were created, in their order. */
  readonly asked: readonly Asked[];
  /** The number of containers that have not been removed. */
  readonly left: number;
  close(): Promise<void>;
}

interface Container {
  readonly asked: Asked;
  running: RunningServer | null;
  /** Its standard error until it ended. */
  log: string;
}

/** Starts an engine that works for containers of mailcap's image, whatever name they give it. */
export async function startFakeEngine(directory: string): Promise<FakeEngine> {
  const asked: Asked[] = [];
  const containers = new Map<string, Container>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const path = url.replace(/^\/v[\d.]+/, '').replace(/\?.*$/, '');
    const body = await text(request);
    const [, id = '', verb = ''] = /^\/containers\/([^/]+)(?:\/(\w+))?$/.exec(path) ?? [];
    const container = containers.get(id);
    if (path === '/info') return json(response, 200, { OperatingSystem: 'test', OSType: 'linux', ServerVersion: '28' });
    // testcontainers looks for its own container that removes others. Here is none.
    if (path === '/containers/json') return json(response, 200, []);
    if (path.startsWith('/images/')) return json(response, 200, { Id: 'sha256:1', Config: {} });
    if (method === 'POST' && path === '/containers/create') {
      const created: Asked = JSON.parse(body);
      asked.push(created);
      containers.set(String(asked.length), { asked: created, running: null, log: '' });
      return json(response, 201, { Id: String(asked.length), Warnings: [] });
    }
    if (container === undefined) return json(response, 404, { message: `no such container: ${method} ${path}` });
    if (method === 'DELETE') containers.delete(id);
    if (method === 'DELETE' || verb === 'stop') await container.running?.close();
    if (method === 'DELETE' || verb === 'stop') return json(response, 204, null);
    if (verb === 'start') {
      await run(container, directory);
      return json(response, 204, null);
    }
    if (verb === 'logs') return void response.end(frameOf(container.log));
    return json(response, 200, inspected(id, container));
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => json(response, 500, { message: error.message }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `tcp://127.0.0.1:${port}`,
    asked,
    get left() {
      return containers.size;
    },
    close: async () => {
      await Promise.all([...containers.values()].map(({ running }) => running?.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Starts the server of a container, or keeps what it would say of its variables. */
async function run(container: Container, directory: string): Promise<void> {
  const given = Object.fromEntries(
    container.asked.Env.map((pair) => [pair.split('=', 1)[0], pair.replace(/^\w+=/, '')]),
  );
  const here = {
    ...{ MAILCAP_PORT: '0', MAILCAP_SMTP_PORT: '0', MAILCAP_POP3_PORT: '0', MAILCAP_IMAP_PORT: '0' },
    ...{ MAILCAP_DATA_DIR: directory, MAILCAP_LOG_LEVEL: 'silent' },
  };
  try {
    container.running = await startMailcap(
      await loadConfig({}, { ...imageConfig(DOCKERFILE).env, ...given, ...here }, directory, 'programs'),
    );
  } catch (error) {
    container.log = `mailcap: ${error instanceof Error ? error.message : error}\n`;
  }
}

function inspected(id: string, { asked, running }: Container) {
  const ready = running?.ready;
  const ports: Readonly<Record<string, string>> =
    ready === undefined
      ? {}
      : {
          '8025/tcp': new URL(ready.url).port,
          '1025/tcp': String(ready.smtpPort),
          '1110/tcp': portOf(ready.pop3Url),
          '1143/tcp': portOf(ready.imapUrl),
        };
  const wanted = Object.keys(asked.HostConfig.PortBindings);
  const bound = Object.fromEntries(wanted.map((port) => [port, [{ HostIp: '0.0.0.0', HostPort: ports[port] ?? '1' }]]));
  return {
    Id: id,
    Name: `/container-${id}`,
    Config: { Hostname: 'test', Labels: asked.Labels, Image: asked.Image },
    HostConfig: asked.HostConfig,
    State: {
      Status: running === null ? 'exited' : 'running',
      Running: running !== null,
      StartedAt: '2026-01-01T00:00:00Z',
      FinishedAt: '0001-01-01T00:00:00Z',
    },
    NetworkSettings: { Ports: bound, Networks: {} },
  };
}

function portOf(url: string | null): string {
  return url === null ? '1' : (/:(\d+)$/.exec(url)?.[1] ?? '1');
}

/** Writes a log as the engine does without a terminal: the stream's number and the length before the bytes. */
function frameOf(log: string): Buffer {
  const bytes = Buffer.from(log);
  const head = Buffer.from([2, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([head, bytes]);
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(body === null ? '' : JSON.stringify(body));
}
