import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, vi } from 'vitest';
import { s3Storage } from '../../src/adapters/s3-storage.ts';
import { readS3Place } from '../../src/config/s3-place.ts';
import type { ObjectStorage } from '../../src/ports/storage.ts';
import { freePort } from './free-port.ts';
import { startProxy, type TestProxy } from './proxy.ts';

/** An S3-compatible server that a test starts for itself, behind a proxy that can fail. */
export interface S3Server {
  /** The variables that let a client in. They are set in the test's process too. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that let nobody in, and what the server says to them. s3rver looks at no signature. */
  readonly stranger: { readonly env: Readonly<Record<string, string>>; readonly refusal: string };
  readonly proxy: TestProxy;
  /** Returns the URL of a place for `--store-blobs`. */
  place(prefix: string): string;
  /** Opens a place, past the proxy. */
  open(prefix: string): Promise<ObjectStorage>;
}

interface Program {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const BUCKET = 'bodies';
/** The credentials that s3rver knows. */
const KEY = 'S3RVER';

// npm's s3rver runs in the process. MAILCAP_TEST_S3 names the program of another server, versitygw.
const PROGRAM = process.env['MAILCAP_TEST_S3'];

/** Starts a server before the tests of a block, and ends it after them. It is there in tests alone. */
export function s3OfTests(): S3Server {
  let server: (S3Server & { stop(): Promise<void> }) | null = null;
  beforeAll(async () => {
    server = await startS3();
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
  }, 60_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await server?.stop();
  });
  return new Proxy({} as S3Server, {
    get: (_, name) => {
      if (server === null) throw new Error('the server is there in tests alone');
      return Reflect.get(server, name);
    },
  });
}

async function startS3(): Promise<S3Server & { stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'mailcap-s3-'));
  const program = PROGRAM === undefined ? await startS3rver(directory) : await startVersity(PROGRAM, directory);
  const proxy = await startProxy(program.endpoint, () => 'passed on', { keepsHost: true });
  const env = { AWS_ACCESS_KEY_ID: KEY, AWS_SECRET_ACCESS_KEY: KEY, AWS_REGION: 'us-east-1' };
  const at = (prefix: string, endpoint: string) => `s3://${BUCKET}/${prefix}?endpoint=${endpoint}`;
  return {
    env,
    stranger:
      PROGRAM === undefined
        ? { env: { AWS_ACCESS_KEY_ID: 'nobody' }, refusal: '403 InvalidAccessKeyId' }
        : { env: { AWS_SECRET_ACCESS_KEY: 'nobody' }, refusal: '403 SignatureDoesNotMatch' },
    proxy,
    place: (prefix) => at(prefix, proxy.url),
    open: (prefix) => s3Storage(readS3Place(at(prefix, program.endpoint), env)),
    stop: async () => {
      await proxy[Symbol.asyncDispose]();
      await program.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function startS3rver(directory: string): Promise<Program> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.httpServer.closeAllConnections();
      await server.close();
    },
  };
}

async function startVersity(path: string, directory: string): Promise<Program> {
  mkdirSync(join(directory, BUCKET));
  const port = await freePort();
  const child: ChildProcess = spawn(path, ['--port', `127.0.0.1:${port}`, 'posix', directory], {
    env: { ...process.env, ROOT_ACCESS_KEY: KEY, ROOT_SECRET_KEY: KEY },
    stdio: 'ignore',
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(endpoint), { timeout: 20_000 });
  return {
    endpoint,
    stop: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
