import { createRequire } from 'node:module';
import { SMTPServer } from 'smtp-server';
import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js';
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';
import { expect, test } from 'vitest';

/** The release of smtp-server that `src/smtp/connection.ts` was written for. Review it before raising it. */
const WRITTEN_FOR = '3.21.6';

/** The undocumented methods of smtp-server that `src/smtp/connection.ts` overrides or calls, each with its number of parameters. */
const PINNED_INTERNALS = [
  [SMTPServer.prototype, { connect: 2, _onError: 1, updateSecureContext: 1 }],
  [
    SMTPConnection.prototype,
    {
      init: 0,
      connectionReady: 1,
      send: 3,
      close: 0,
      _createParser: 0,
      _setListeners: 1,
      _onClose: 0,
      _onTimeout: 0,
      _armTimeout: 0,
      _onError: 1,
      upgrade: 2,
      _onCommand: 2,
      _getEnhancedStatusCode: 2,
      _parseAddressCommand: 2,
      _rejectInvalidParams: 3,
      _resetSession: 0,
      handler_EHLO: 2,
      handler_HELO: 2,
      handler_AUTH: 2,
      handler_DATA: 2,
      handler_STARTTLS: 2,
    },
  ],
  [SMTPStream.prototype, { _write: 3, _feedDataStream: 2 }],
] as const satisfies readonly (readonly [object, Readonly<Record<string, number>>])[];

/** Lists the differences between the installed smtp-server and the expected one. It is empty if all is as expected. */
function missingInternals(): string[] {
  const missing: string[] = [];
  const { version }: { readonly version?: string } = createRequire(import.meta.url)('smtp-server/package.json');
  if (version !== WRITTEN_FOR) missing.push(`version ${version} instead of ${WRITTEN_FOR}`);
  for (const [prototype, methods] of PINNED_INTERNALS) {
    for (const [name, parameters] of Object.entries(methods)) {
      const method: unknown = Reflect.get(prototype, name);
      if (typeof method !== 'function' || method.length !== parameters) {
        missing.push(`${prototype.constructor.name}.${name}`);
      }
    }
  }
  return missing;
}

test(`the installed smtp-server is ${WRITTEN_FOR} and has every internal method that the fast server is pinned to: if this fails, read \
its changes to connect, init, the parser and DATA before raising WRITTEN_FOR`, () => {
  expect(missingInternals()).toEqual([]);
});
