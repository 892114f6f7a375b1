import type { Disk } from '../../../src/ports/storage.ts';
import { Draw } from './draw.ts';
import { SimulatedDisk } from './simulated-disk.ts';

export async function newDisk(seed = 1): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(new Draw(seed));
  await disk.makeDirectory('/d');
  await disk.syncDirectory('/');
  return disk;
}

export async function put(disk: Disk, path: string, text: string | Buffer): Promise<void> {
  const file = await disk.open(path, 'replace');
  await file.write([Buffer.from(text)], 0);
  await file.close();
}

export async function get(disk: Disk, path: string): Promise<string | null> {
  const facts = await disk.stat(path);
  if (facts === null) return null;
  const file = await disk.open(path, 'read');
  const into = Buffer.alloc(facts.size);
  await file.read(into, 0);
  await file.close();
  return into.toString('latin1');
}

export const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => null,
    (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
  );
