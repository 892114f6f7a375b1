import type { IncomingMessage } from 'node:http';

/** Tells whether a request opens a WebSocket (RFC 6455 section 4.2.1). No other upgrade is supported. */
export function isWebSocketHandshake({ headers }: IncomingMessage): boolean {
  return (
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    /^[+/0-9a-z]{22}==$/i.test(headers['sec-websocket-key'] ?? '')
  );
}
