import type { Disk, DiskFile, OpenMode } from '../../ports/storage.ts';

/** Opens a file for `act` and closes it afterwards. */
export async function withFile<T>(
  disk: Disk,
  path: string,
  mode: OpenMode,
  act: (file: DiskFile) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, mode);
  try {
    return await act(file);
  } finally {
    await file.close();
  }
}

/** Reads `length` bytes, or fewer at the end of the file. */
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

export async function writeFully(file: DiskFile, parts: readonly Uint8Array[], position: number): Promise<void> {
  let rest = parts;
  for (let at = position; rest.length > 0; ) {
    const written = await file.write(rest, at);
    at += written;
    rest = without(rest, written);
  }
}

/** Returns the parts without the bytes already written. */
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

export function readFile(disk: Disk, path: string): Promise<Buffer> {
  return withFile(disk, path, 'read', async (file) => readFully(file, 0, (await file.facts()).size));
}

/** Writes a whole file and syncs it. The caller must sync the directory to make the name durable. */
export function writeFile(disk: Disk, path: string, parts: readonly Uint8Array[]): Promise<void> {
  return withFile(disk, path, 'replace', async (file) => {
    await writeFully(file, parts, 0);
    await file.sync();
  });
}

/**
 * Replaces a file atomically: it writes a new file, syncs it and renames it. The caller must sync the directory to make
 * the name durable.
 */
export async function replaceFile(disk: Disk, path: string, parts: readonly Uint8Array[]): Promise<void> {
  const aside = `${path}.new`;
  await writeFile(disk, aside, parts);
  await disk.rename(aside, path);
}

/** Truncates a file and syncs it. */
export function cutFile(disk: Disk, path: string, bytes: number): Promise<void> {
  return withFile(disk, path, 'update', async (file) => {
    await file.truncate(bytes);
    await file.sync();
  });
}

/** The number of bytes rewritten at a time. */
const WINDOW_BYTES = 1024 * 1024;

/**
 * Rewrites a part of a file unchanged and syncs it. After a failed sync the system may wrongly treat these bytes as
 * written.
 */
export function writeAgain(disk: Disk, path: string, from: number, end: number): Promise<void> {
  return withFile(disk, path, 'update', async (file) => {
    for (let at = from; at < end; at += WINDOW_BYTES) {
      const bytes = await readFully(file, at, Math.min(WINDOW_BYTES, end - at));
      await writeFully(file, [bytes], at);
    }
    await file.sync();
  });
}
