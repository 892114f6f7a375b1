import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../ports/clock.ts';

/** What one scan may take. */
export interface ScanBounds {
  readonly ms: number;
  /** clamd's own default of StreamMaxLength. */
  readonly bytes: number;
}

export const SCAN_BOUNDS: ScanBounds = { ms: 30_000, bytes: 100 * 1024 * 1024 };

export interface Clamd {
  /** 1 clean, 2 infected, 4 too large. Rejects, saying what the daemon did, where it gives no verdict. */
  scan(content: Buffer): Promise<1 | 2 | 4>;
  close(): void;
}

export interface ClamdAddress {
  readonly host: string;
  readonly port: number;
}

const CHUNK_BYTES = 64 * 1024;
const LONGEST_REPLY_BYTES = 4 * 1024;

/** Hands contents to a clamd daemon, by INSTREAM (clamd(8)): a connection for each. */
export function createClamd(address: ClamdAddress, clock: Clock, bounds: ScanBounds = SCAN_BOUNDS): Clamd {
  const sockets = new Set<Socket>();
  return {
    async scan(content) {
      if (content.length > bounds.bytes) return 4;
      const socket = connect({ ...address, noDelay: true });
      sockets.add(socket);
      const stop = clock.after(bounds.ms, () => socket.destroy(new Error(`gave no verdict in ${bounds.ms / 1_000} s`)));
      try {
        const reply = replyOf(socket);
        // It may say its verdict, and hang up, before it has read everything.
        pipeline(Readable.from(frames(content)), socket, { end: false }).catch(() => {});
        return verdictOf(await reply);
      } finally {
        stop();
        socket.destroy();
        sockets.delete(socket);
      }
    },
    close() {
      for (const socket of sockets) socket.destroy(new Error('was given up: the server is stopping'));
    },
  };
}

function* frames(content: Buffer): Generator<Buffer> {
  yield Buffer.from('zINSTREAM\0');
  for (let at = 0; at < content.length; at += CHUNK_BYTES) {
    const chunk = content.subarray(at, at + CHUNK_BYTES);
    yield lengthOf(chunk.length);
    yield chunk;
  }
  yield lengthOf(0);
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

/** What the daemon says up to its NUL. */
function replyOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let reply = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      reply = Buffer.concat([reply, bytes]);
      const end = reply.indexOf(0);
      if (end >= 0) resolve(reply.toString('latin1', 0, end).trim());
      else if (reply.length > LONGEST_REPLY_BYTES) reject(new Error('answered what is no verdict'));
    });
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('hung up without a verdict')));
    socket.on('close', () => reject(new Error('hung up without a verdict')));
  });
}

function verdictOf(reply: string): 1 | 2 | 4 {
  if (reply === 'stream: OK') return 1;
  // AlertExceedsMax: what was looked at was not all, and nothing was found in it.
  if (/^stream: Heuristics\.Limits\.Exceeded\S* FOUND$/.test(reply)) return 4;
  if (/^stream: \S.* FOUND$/.test(reply)) return 2;
  if (reply === 'INSTREAM size limit exceeded. ERROR') return 4;
  throw new Error(`answered ${JSON.stringify(reply.slice(0, 200))}`);
}
