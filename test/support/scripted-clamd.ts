import type { Socket } from 'node:net';
import { type Script, type ScriptedDaemon, scriptedDaemon } from './scripted-daemon.ts';

export type { Script } from './scripted-daemon.ts';

/** Returns a script that sends a verdict in clamd's format. */
export function answer(reply: string): Script {
  return (socket) => socket.end(`${reply}\0`);
}

/**
 * Starts a daemon that implements INSTREAM as the manual says and answers by the script. With `greet`, it calls that
 * for each connection and reads nothing.
 */
export function scriptedClamd(script: Script, greet?: (socket: Socket) => void, port = 0): Promise<ScriptedDaemon> {
  return scriptedDaemon({ script, contentOf, greet, port });
}

const COMMAND = Buffer.from('zINSTREAM\0');

/** Returns the complete content, or null if more data must follow. */
function contentOf(received: Buffer): Buffer | null {
  if (received.length < COMMAND.length) return null;
  if (!received.subarray(0, COMMAND.length).equals(COMMAND)) throw new Error('this is no zINSTREAM');
  const chunks: Buffer[] = [];
  for (let at = COMMAND.length; received.length >= at + 4; ) {
    const length = received.readUInt32BE(at);
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(received.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return null;
}
