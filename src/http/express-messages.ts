import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

const asked = Symbol('asked for an upgrade');

/**
 * Classes for the server to make requests and responses of, born with the prototypes that Express would give them.
 * Giving an object another prototype makes V8 describe each one apart: 2.4 KB a request held, and slower to use.
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

    // With anybody listening for upgrades, node takes every request that offers one for one, and its answer is up to the
    // listener. Some clients offer h2c with all they send (RFC 9110 7.8: a server may ignore it): these are requests like others.
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
  // Express compares by setting: what is there already costs nothing.
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
