import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NOT_LINUX } from '../support/platform.ts';
import { unless } from '../support/unless.ts';
import { newDirectory, open } from './directory.ts';

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const BOOT = existsSync(BOOT_ID) ? readFileSync(BOOT_ID, 'utf8').trim() : '';

test('a second store on the same directory is refused with the pid of the first, until that closes', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining(`pid ${process.pid}`),
  });
  await store.close();
  await (await open(directory)).close();
});

test('the lock of a dead holder does not lock: killed, before a reboot, or with a pid that another process has now', async () => {
  const directory = newDirectory();
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  const holder = { pid: child.pid, host: hostname(), boot: BOOT, started: '1' };
  for (const lock of [
    holder,
    { ...holder, boot: 'another' },
    { ...holder, pid: process.ppid },
    { ...holder, pid: process.pid },
  ]) {
    writeFileSync(join(directory, 'lock'), JSON.stringify(lock));
    await (await open(directory)).close();
  }
  // A holder on another machine cannot be checked, so its lock counts while it is fresh.
  writeFileSync(join(directory, 'lock'), JSON.stringify({ ...holder, host: 'elsewhere' }));
  await expect(open(directory)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
});

test('one of several stores that find the lock of a dead holder at the same time gets the directory', async () => {
  for (let round = 0; round < 10; round++) {
    const directory = newDirectory();
    const holder = { pid: 1, host: hostname(), boot: 'another', started: '1', socket: 'lock.sock' };
    writeFileSync(join(directory, 'lock'), JSON.stringify(holder));
    const opened = await Promise.allSettled([open(directory), open(directory), open(directory)]);
    const refused = opened.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
    expect(refused).toEqual([
      expect.objectContaining({ code: 'STORE_LOCKED' }),
      expect.objectContaining({ code: 'STORE_LOCKED' }),
    ]);
  }
});

describe('a holder that listens beside its lock', () => {
  const elsewhere = { pid: 1, host: 'another-container', started: '1', namespace: '1', socket: 'lock.sock' };

  unless(test, NOT_LINUX)(
    'is asked even in another container: while it lives the directory is locked, and once it is killed it is free',
    async () => {
      const directory = newDirectory();
      const lock = join(directory, 'lock');
      const script = `require('net').createServer().listen(${JSON.stringify(join(directory, 'lock.sock'))}, () => console.log())`;
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      writeFileSync(lock, JSON.stringify({ ...elsewhere, boot: BOOT }));
      // The age of the lock does not matter, because the process may be suspended and continue.
      utimesSync(lock, 0, 0);
      await expect(open(directory)).rejects.toMatchObject({
        code: 'STORE_LOCKED',
        message: expect.stringContaining('pid 1 on another-container'),
      });

      child.kill('SIGKILL');
      await once(child, 'exit');
      await (await open(directory)).close();
      expect(readdirSync(directory).filter((name) => name.startsWith('lock'))).toEqual([]);
    },
  );

  test('with the same name in another process namespace is believed while its lock is fresh, if it can not be asked', async () => {
    const directory = newDirectory();
    const lock = join(directory, 'lock');
    const namesake = { ...elsewhere, host: hostname(), boot: BOOT, pid: process.pid };
    writeFileSync(lock, JSON.stringify(namesake));
    await expect(open(directory)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    utimesSync(lock, 0, 0);
    await (await open(directory)).close();
  });
});
