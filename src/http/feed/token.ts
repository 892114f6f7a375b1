import type { IncomingHttpHeaders } from 'node:http';

// A browser can set no header of a WebSocket but its subprotocols. One of them brings the admin token: unlike a query it is
// in no log and no history. It is never the one that is chosen, so it is never sent back.

/** What a client that names subprotocols has to name, and is answered. */
export const FEED_PROTOCOL = 'mailcap.feed';
/** Then the token as base64url, which has no character that a header does not allow. */
const TOKEN_PROTOCOL = 'mailcap.token.';

/** The headers of a handshake, a token among the subprotocols as the bearer it stands for. */
export function withToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers.authorization !== undefined) return headers;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const named = offered.find((name) => name.startsWith(TOKEN_PROTOCOL));
  if (named === undefined) return headers;
  const token = Buffer.from(named.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
  return { ...headers, authorization: `Bearer ${token}` };
}
