import type { EventEmitter } from 'node:events';
import { Server } from 'node:net';
import { expect } from 'vitest';
import { createKeyedMutex } from '../../src/adapters/single-server.ts';
import { nodeRandom, systemClock } from '../../src/adapters/system.ts';
import type { Clock, Log } from '../../src/ports/system.ts';
import { pgDriver } from '../../src/store/postgres/pg-driver.ts';
import { openPostgresStore, type PostgresStore } from '../../src/store/postgres/store.ts';

/** Tells whether every server of a test is two servers on one database, which take requests and connections in turn. */
export const IS_TWO = process.env['MAILCAP_TEST_SERVERS'] === 'two';

/** The number of the server, which health and info tell where there are several. */
export const SERVER: object = IS_TWO ? { server: expect.any(Number) } : {};

const quiet: Log = { error() {}, warn() {}, info() {}, debug() {} };
let schemas = 0;

/** A schema of its own in the database of the run. */
export class SharedSchema {
  readonly #name = `t${process.pid}_${schemas++}`;

  /** Opens the store once more, as another server does. */
  async open(clock: Clock): Promise<PostgresStore> {
    return openPostgresStore(
      {
        driver: await this.#driver(),
        schema: this.#name,
        // Tests hurry the clock of a server, and a store would then give up a busy database.
        clock: { ...systemClock(), now: () => clock.now(), offsetMs: () => clock.offsetMs() },
        random: nodeRandom,
        mutex: createKeyedMutex(),
        onClockOffset: (offsetMs) => clock.setOffsetMs(offsetMs),
      },
      quiet,
    );
  }

  async drop(): Promise<void> {
    const connection = await (await this.#driver()).connect('drop');
    await connection.script(`drop schema "${this.#name}" cascade`);
    await connection.close();
  }

  #driver() {
    const url = process.env['MAILCAP_TEST_DATABASE'];
    if (url === undefined) throw new Error('run it as a project that starts a cluster: see vitest.config.ts');
    return pgDriver(url, this.#name, 'test');
  }
}

/** Gives every second event of these names to another emitter. */
export function alternate(first: EventEmitter, second: EventEmitter, names: readonly string[]): void {
  const emit = first.emit.bind(first);
  let turn = 0;
  first.emit = (name: string, ...given: unknown[]) =>
    names.includes(name) && turn++ % 2 === 1 ? second.emit(name, ...given) : emit(name, ...given);
}

/** Finds the server of this process that listens on a port. */
export function listenerOn(port: number): Server {
  // No type declares this function of Node, which is documented nowhere, and nothing else knows a server by its port.
  const { _getActiveHandles } = process as unknown as { _getActiveHandles(): unknown[] };
  const found = _getActiveHandles.call(process).find((handle) => {
    if (!(handle instanceof Server)) return false;
    const address = handle.address();
    return typeof address === 'object' && address?.port === port;
  });
  if (found === undefined) throw new Error(`nothing listens on ${port}`);
  return found as Server;
}
