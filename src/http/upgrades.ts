import { IncomingMessage } from 'node:http';

const asked = Symbol('asked for an upgrade');

/** The class for the server to make requests of, so that only those of `mayUpgrade` and CONNECT leave HTTP. */
export function requestClass(mayUpgrade: (req: IncomingMessage) => boolean): typeof IncomingMessage {
  return class extends IncomingMessage {
    [asked]?: boolean;

    // With anybody listening for upgrades, node takes every request that offers one for one, and its answer is up to the
    // listener. Some clients offer h2c with all they send (RFC 9110 7.8: a server may ignore it): these are requests like others.
    get upgrade(): boolean {
      return this[asked] === true && (this.method === 'CONNECT' || mayUpgrade(this));
    }

    set upgrade(value: boolean) {
      this[asked] = value;
    }
  };
}
