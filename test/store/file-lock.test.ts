import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newDirectory, open } from './directory.ts';

test('a second store on the same directory is refused with the pid; after close it may come', async () => {
  const directory = newDirectory();
  const store = await open(directory);
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_LOCKED',
    message: expect.stringContaining(`pid ${process.pid}`),
  });
  await store.close();
  await (await open(directory)).close();
});

test('a lock whose holder is dead does not lock: killed, rebooted, or its number used by another process', async () => {
  const directory = newDirectory();
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
  await once(child, 'exit');
  const boot = existsSync('/proc/sys/kernel/random/boot_id')
    ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    : '';
  const holder = { pid: child.pid, host: hostname(), boot, started: '1' };
  for (const lock of [
    holder,
    { ...holder, boot: 'another' },
    { ...holder, pid: process.ppid },
    { ...holder, pid: process.pid },
  ]) {
    writeFileSync(join(directory, 'lock'), JSON.stringify(lock));
    await (await open(directory)).close();
  }
  // A holder elsewhere can't be asked: while its lock is fresh it is believed.
  writeFileSync(join(directory, 'lock'), JSON.stringify({ ...holder, host: 'elsewhere' }));
  await expect(open(directory)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
});
