import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

const asked = Symbol('asked for an upgrade');

/**
 * Creates the request and response classes of the server, with the prototypes that Express would set on each object.
 * Changing an object's prototype makes V8 give it a hidden class of its own, which costs 2.4 KB for each open request
 * and is slower.
 */
export function messageClasses(
  app: Express,
  mayUpgrade: (req: IncomingMessage) => boolean,
): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class AppRequest extends IncomingMessage {
    [asked]?: boolean;

    // With an upgrade listener, node treats every request that offers an upgrade as one and leaves the answer to the
    // listener. Some clients offer h2c with every request. A server may ignore that (RFC 9110 section 7.8), so these
    // requests are served as usual.
    get upgrade(): boolean {
      return this[asked] === true && (this.method === 'CONNECT' || mayUpgrade(this));
    }

    set upgrade(value: boolean) {
      this[asked] = value;
    }
  }
  class AppResponse<Request extends IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  // Express sets these prototypes only if they differ.
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
