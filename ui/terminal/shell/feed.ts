import type { Server } from '../../../src/client/index.ts';
import { after } from '../environment.ts';
import type { InboxFeedEvent } from './feed-event.ts';

/** The server pings every 30 s. After this much silence, the connection counts as lost. */
const SILENCE_MS = 70_000;

interface Listener {
  opened(): void;
  told(event: InboxFeedEvent): void;
}

/**
 * Listens to the feed of a server, after a given event or from now on. Resolves with the reason when the connection
 * ends.
 */
export async function listenToFeed(
  { url, adminToken }: Server,
  since: string | null,
  listener: Listener,
  signal: AbortSignal,
): Promise<string> {
  const { WebSocket } = await import('ws');
  if (signal.aborted) return 'stopped';
  const address = `${url.replace(/^http/i, 'ws')}/_mailcap/feed${since === null ? '' : `?since=${since}`}`;
  const headers = adminToken === null ? {} : { Authorization: `Bearer ${adminToken}` };
  const socket = new WebSocket(address, { headers, perMessageDeflate: false, handshakeTimeout: 10_000 });
  const end = () => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  let callOff = () => {};
  const heard = () => {
    callOff();
    callOff = after(SILENCE_MS, end);
  };
  return new Promise((resolve) => {
    let reason = 'the server is gone';
    socket.on('open', () => {
      heard();
      listener.opened();
    });
    socket.on('ping', heard);
    socket.on('message', (data) => {
      heard();
      // The server created this event. feed-event.ts declares its type.
      listener.told(JSON.parse(data.toString()) as InboxFeedEvent);
    });
    socket.on('error', (error) => {
      reason = 'code' in error && error.code === 'ECONNREFUSED' ? 'the server is gone' : error.message;
    });
    socket.on('close', (code, text) => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve(text.length > 0 ? text.toString() : code === 1013 ? 'the inbox was too slow for the feed' : reason);
    });
  });
}
