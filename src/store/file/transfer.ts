import type { Disk, DiskFile } from '../../ports/disk.ts';

/** Reads `length` bytes, or as many as there are. */
export async function readFully(file: DiskFile, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const count = await file.read(done === 0 ? bytes : bytes.subarray(done), position + done);
    if (count === 0) break;
    done += count;
  }
  return done === length ? bytes : bytes.subarray(0, done);
}

/** Writes all of the parts, one behind the other. */
export async function writeFully(file: DiskFile, parts: readonly Uint8Array[], position: number): Promise<void> {
  let rest = parts;
  for (let at = position; rest.length > 0; ) {
    const written = await file.write(rest, at);
    at += written;
    rest = without(rest, written);
  }
}

/** Leaves out of the parts the bytes that are written. */
function without(parts: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  let left = written;
  const first = parts.findIndex(({ length }) => {
    if (left < length) return true;
    left -= length;
    return false;
  });
  if (first < 0) return [];
  const [cut, ...rest] = parts.slice(first);
  return cut === undefined ? [] : [cut.subarray(left), ...rest];
}

/** The whole of a file. */
export async function readFile(disk: Disk, path: string): Promise<Buffer> {
  const file = await disk.open(path, 'read');
  try {
    return await readFully(file, 0, (await file.facts()).size);
  } finally {
    await file.close();
  }
}

/**
 * Puts a file in place of another, whole or not at all: written aside, synced, renamed. The name is on the disk for
 * good once the directory was synced, which is the caller's to do.
 */
export async function replaceFile(disk: Disk, path: string, parts: readonly Uint8Array[]): Promise<void> {
  const aside = `${path}.new`;
  const file = await disk.open(aside, 'replace');
  try {
    await writeFully(file, parts, 0);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(aside, path);
}

/** Cuts a file to a length, and makes sure of it. */
export async function cutFile(disk: Disk, path: string, bytes: number): Promise<void> {
  const file = await disk.open(path, 'update');
  try {
    await file.truncate(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** So much is written again at a time. */
const WINDOW_BYTES = 1024 * 1024;

/** Writes a part of a file as it is once more and syncs it: after a sync that failed the system may take it for written. */
export async function writeAgain(disk: Disk, path: string, from: number, end: number): Promise<void> {
  const file = await disk.open(path, 'update');
  try {
    for (let at = from; at < end; at += WINDOW_BYTES) {
      const bytes = await readFully(file, at, Math.min(WINDOW_BYTES, end - at));
      await writeFully(file, [bytes], at);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
