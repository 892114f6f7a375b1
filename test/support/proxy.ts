import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The fate of a request. `lost` cuts the connection before the request arrives, and `answer lost` cuts it after. `silence`
 * answers nothing.
 */
export type Fate =
  | 'passed on'
  | 'lost'
  | 'answer lost'
  | 'silence'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string };

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A proxy that treats requests as networks and clouds do. */
export interface TestProxy extends AsyncDisposable {
  readonly url: string;
  /** All requests in order. */
  readonly seen: readonly Seen[];
  /** Decides the fate of each request from now on. */
  fate: (seen: Seen) => Fate;
}

/** Answers 404 for the local API, which a cloud does not have. */
export function asCloud({ path }: Seen): Fate {
  return path.startsWith('/_mailcap') ? { status: 404, body: '{"error":"not_found"}' } : 'passed on';
}

/** Starts a proxy. `keepsHost` leaves the header Host as it came, which a signature may cover. */
export async function startProxy(
  target: string,
  fate: TestProxy['fate'] = () => 'passed on',
  { keepsHost = false }: { readonly keepsHost?: boolean } = {},
): Promise<TestProxy> {
  const seen: Seen[] = [];
  const server = createServer((req, res) => {
    const one = { method: req.method ?? '', path: req.url ?? '', headers: req.headers };
    seen.push(one);
    meet(proxy.fate(one), req, res, target, keepsHost ? req.headers.host : new URL(target).host);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has an address
  const proxy: TestProxy = {
    url: `http://127.0.0.1:${port}`,
    seen,
    fate,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}

function meet(fate: Fate, req: IncomingMessage, res: ServerResponse, target: string, host: string | undefined): void {
  if (fate === 'lost') {
    req.socket.destroy();
  } else if (fate === 'silence') {
    req.resume();
  } else if (typeof fate === 'object') {
    req.resume();
    res.writeHead(fate.status, { 'Content-Type': 'application/json', ...fate.headers }).end(fate.body ?? '');
  } else {
    const onward = request(target + req.url, { method: req.method, headers: { ...req.headers, host } }, (answer) => {
      if (fate === 'answer lost') {
        answer.resume();
        answer.on('end', () => req.socket.destroy());
        return;
      }
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => req.socket.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  }
}
