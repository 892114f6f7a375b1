import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Ready } from '../../src/runtime.ts';

const BIN = fileURLToPath(new URL('../../bin/mailcap.js', import.meta.url));

/** `mailcap dev` in its own process, as a user starts it. */
export interface Served {
  readonly ready: Ready;
  readonly child: ChildProcess;
  /** Returns what the process has written to standard error so far. */
  readonly stderr: () => string;
  /** Sends a signal and resolves to the exit code, or to null if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  get<T>(path: string): Promise<T>;
  raw(messageId: string): Promise<Buffer>;
  /** Loads every message of a mailbox, newest first, page by page. */
  messages(mailboxId?: string): Promise<{ id: string; subject: string; sizeBytes: number }[]>;
}

export function serve(dataDir: string, ...flags: string[]): Promise<Served> {
  return serveWith('', dataDir, ...flags);
}

/** Like {@link serve}, with options of Node.js, such as the size of the heap. */
export async function serveWith(nodeOptions: string, dataDir: string, ...flags: string[]): Promise<Served> {
  const args = ['dev', '--json', '--port', '0', '--smtp-port', '0', '--limits', 'off', '--data-dir', dataDir, ...flags];
  const child = spawn(process.execPath, [BIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  const ready = JSON.parse(line) as Ready; // docs/options.md#the-ready-line
  const request = async (path: string): Promise<Response> => {
    const response = await fetch(ready.url + path, { headers: { authorization: `Bearer ${ready.apiKey}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  const get = async <T>(path: string) => (await (await request(path)).json()) as T; // the caller claims the type
  return {
    ready,
    child,
    stderr: () => stderr,
    get,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      const [code] = (await once(child, 'exit')) as [number | null]; // child_process documents this pair
      return code;
    },
    raw: async (id) => Buffer.from(await (await request(`/_mailcap/messages/${id}/raw`)).arrayBuffer()),
    async messages(mailboxId = ready.mailboxId) {
      const all: { id: string; subject: string; sizeBytes: number }[] = [];
      for (;;) {
        const before = all.length === 0 ? '' : `&before=${all.at(-1)?.id}`;
        const page = await get<typeof all>(`/v1/mailboxes/${mailboxId}/messages?limit=200${before}`);
        all.push(...page);
        if (page.length < 200) return all;
      }
    },
  };
}

/** Returns the peak memory of the process, or 0 if the system does not report it. */
export function peakMegabytes({ ready }: Served): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${ready.pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
