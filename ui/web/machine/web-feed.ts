import type { FeedEvent, FeedSource } from '../app/ports.ts';
import { readToken } from './token.ts';

/** The WebSocket subprotocol in which the feed sends lists of events. It needs fewer frames than one for each event. */
const PROTOCOL = 'mailcap.feed.lists';

/** The feed of the server which served the page. The token travels as a subprotocol, so that no URL contains it. */
export const webFeed: FeedSource = {
  open(since, on) {
    const address = new URL('/_mailcap/feed', location.href);
    address.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    if (since !== null) address.searchParams.set('since', since);
    const token = readToken();
    const socket = new WebSocket(address, [PROTOCOL, ...(token === null ? [] : [`mailcap.token.${base64url(token)}`])]);
    let over = false;
    const end = (reason: string) => {
      if (over) return;
      over = true;
      on.ended(reason);
    };
    socket.addEventListener('open', () => {
      if (!over) on.opened();
    });
    socket.addEventListener('message', ({ data }) => {
      // The server created these events, so the data has this type.
      if (!over) on.told(JSON.parse(String(data)) as FeedEvent[]);
    });
    socket.addEventListener('close', ({ code, reason }) => {
      end(code === 1013 ? 'this page was too slow for the feed' : reason || 'the server is gone');
    });
    return () => {
      over = true;
      socket.close();
    };
  },
};

function base64url(text: string): string {
  const binary = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(binary)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '');
}
