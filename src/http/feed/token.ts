import type { IncomingHttpHeaders } from 'node:http';

// A browser can set no header of a WebSocket except its subprotocols. One of them carries the admin token, because a
// query would appear in logs and in the history. The server never selects that subprotocol, so it never sends the token
// back.

/** The subprotocol in which each frame is one event. A client that names subprotocols must name this or the other. */
export const FEED_PROTOCOL = 'mailcap.feed';
/** The subprotocol in which each frame is a list of events. The server selects it if the client names it. */
export const LISTS_PROTOCOL = 'mailcap.feed.lists';
/** The beginning of the subprotocol with the token. The token follows as base64url, which is valid in a header. */
const TOKEN_PROTOCOL = 'mailcap.token.';

/** Returns the headers of a handshake. A token among the subprotocols becomes a bearer token. */
export function withToken(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers.authorization !== undefined) return headers;
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const named = offered.find((name) => name.startsWith(TOKEN_PROTOCOL));
  if (named === undefined) return headers;
  const token = Buffer.from(named.slice(TOKEN_PROTOCOL.length), 'base64url').toString();
  return { ...headers, authorization: `Bearer ${token}` };
}
