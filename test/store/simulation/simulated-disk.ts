import type { Disk, DiskFile, DiskSpace, FileFacts, OpenMode } from '../../../src/ports/storage.ts';
import { type Content, contentOf, crashed, failedSync, synced, truncated, written } from './content.ts';
import type { Draw } from './draw.ts';
import { BLOCK_BYTES, blocksOf, factsOf, failure, type Inode, newInode, partsOf } from './inode.ts';
import { type NameChange, Names } from './names.ts';
import { Refusals } from './refusals.ts';
import { type OperationName, Scheduler } from './scheduler.ts';

/** The number of names that fill one block of a directory. */
const NAMES_IN_BLOCK = 64;
const ROOT = 1;

interface OpenHandle {
  readonly path: string;
  readonly inode: Inode;
}

/**
 * An in-memory file system. It separates the page cache from what would survive a power cut. Every operation waits for
 * a random turn and then takes effect as a whole.
 */
export class SimulatedDisk implements Disk {
  readonly scheduler: Scheduler;
  readonly refusals = new Refusals();
  /** The time of the file system in milliseconds. */
  now = 0;
  /** The capacity in bytes. */
  capacity = Number.POSITIVE_INFINITY;
  readonly #draw: Draw;
  readonly #inodes: Map<number, Inode>;
  readonly #names: Names;
  readonly #handles = new Set<OpenHandle>();
  #nextInode: number;

  constructor(draw: Draw, from?: { inodes: Map<number, Inode>; names: Names; nextInode: number }) {
    this.#draw = draw;
    this.scheduler = new Scheduler(draw.fork());
    this.#inodes = from?.inodes ?? new Map([[ROOT, newInode(ROOT, 'directory', 0)]]);
    this.#names = from?.names ?? new Names();
    this.#nextInode = from?.nextInode ?? ROOT + 1;
  }

  /** Cuts the power and returns a new disk with what may be left. Operations of this disk never complete. */
  crash(draw: Draw): SimulatedDisk {
    this.scheduler.die();
    return this.afterCrash(draw);
  }

  /**
   * Kills the process and returns a new disk with everything that was written. Operations of this disk never complete.
   */
  kill(draw: Draw): SimulatedDisk {
    this.scheduler.die();
    return this.afterKill(draw);
  }

  /** Returns a disk that a power cut at this moment may leave. This disk continues. */
  afterCrash(draw: Draw): SimulatedDisk {
    return this.#left(draw, this.#names.crashed(draw), (content) => crashed(content, draw));
  }

  /** Returns the disk that a kill at this moment would leave. This disk continues. The page cache counts as written. */
  afterKill(draw: Draw): SimulatedDisk {
    return this.#left(draw, this.#names.killed(), ({ cache }) => cache);
  }

  /** Returns a copy of this disk including unsynced changes, without open handles. */
  fork(draw: Draw): SimulatedDisk {
    const inodes = new Map([...this.#inodes].map(([number, inode]) => [number, { ...inode }]));
    const twin = new SimulatedDisk(draw, { inodes, names: this.#names.copy(), nextInode: this.#nextInode });
    twin.now = this.now;
    twin.capacity = this.capacity;
    return twin;
  }

  /** The number of open file handles. */
  get openHandles(): number {
    return this.#handles.size;
  }

  /** The paths of open files without a name. Their space is not freed. */
  get openUnlinked(): string[] {
    const named = this.#reachable();
    return [...this.#handles].filter(({ inode }) => !named.has(inode.number)).map(({ path }) => path);
  }

  /** Returns every named file by its path, with its content in the page cache. */
  files(): Map<string, Buffer> {
    const found = new Map<string, Buffer>();
    const walk = (directory: number, path: string): void => {
      for (const [name, number] of this.#names.in(directory)) {
        const inode = this.#inodes.get(number);
        if (inode?.kind === 'directory') walk(number, `${path}/${name}`);
        else if (inode !== undefined) found.set(`${path}/${name}`, inode.content.cache);
      }
    };
    walk(ROOT, '');
    return found;
  }

  // The next methods simulate damage by the medium or by a person with a shell.

  /** Alters the bytes of a file without an operation. */
  rot(path: string, alter: (bytes: Buffer) => Buffer): void {
    const inode = this.#existing(path, 'open');
    inode.content = contentOf(alter(Buffer.from(inode.content.cache)));
  }

  flipBit(path: string, offset: number, bit: number): void {
    this.rot(path, (bytes) => {
      bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
      return bytes;
    });
  }

  zeroSector(path: string, sector: number): void {
    this.rot(path, (bytes) => bytes.fill(0, sector * 512, Math.min((sector + 1) * 512, bytes.length)));
  }

  /** Removes a file, or a directory with its contents. */
  lose(path: string): void {
    const { directory, name } = this.#place(path, 'unlink');
    this.#names.force([{ directory, name, inode: null }]);
  }

  swap(one: string, other: string): void {
    const [a, b] = [this.#place(one, 'rename'), this.#place(other, 'rename')];
    const [inodeA, inodeB] = [this.#existing(one, 'rename').number, this.#existing(other, 'rename').number];
    this.#names.force([
      { ...a, inode: inodeB },
      { ...b, inode: inodeA },
    ]);
  }

  /** Replaces a directory by a new, empty one. */
  replaceDirectory(path: string): void {
    const { directory, name } = this.#place(path, 'rename');
    this.#names.force([{ directory, name, inode: this.#make('directory').number }]);
  }

  // The next methods implement the port.

  makeDirectory(path: string): Promise<void> {
    return this.#perform('makeDirectory', path, () => {
      let directory = ROOT;
      for (const name of partsOf(path)) {
        const number = this.#names.in(directory).get(name);
        const found = number === undefined ? undefined : this.#inodes.get(number);
        if (found !== undefined && found.kind !== 'directory') throw failure('EEXIST', 'mkdir', path);
        const inode = found ?? this.#addName(directory, name, () => this.#make('directory'), path);
        directory = inode.number;
      }
    });
  }

  list(path: string): Promise<string[]> {
    return this.#perform('list', path, () => [...this.#names.in(this.#directory(path, 'scandir')).keys()]);
  }

  stat(path: string): Promise<FileFacts | null> {
    return this.#perform('stat', path, () => {
      const inode = this.#find(path);
      return inode === null ? null : factsOf(inode);
    });
  }

  open(path: string, mode: OpenMode): Promise<DiskFile> {
    return this.#perform('open', path, () => {
      let inode = mode === 'replace' ? this.#find(path) : this.#existing(path, 'open');
      if (inode === null) {
        const { directory, name } = this.#place(path, 'open');
        inode = this.#addName(directory, name, () => this.#make('file'), path);
      }
      if (inode.kind === 'directory' && mode !== 'read') throw failure('EISDIR', 'open', path);
      if (mode === 'replace') inode.content = truncated(inode.content, 0);
      return this.#handle({ path, inode }, mode !== 'read');
    });
  }

  link(existing: string, path: string): Promise<void> {
    return this.#perform('link', path, () => {
      const inode = this.#existing(existing, 'link');
      const { directory, name } = this.#place(path, 'link');
      if (this.#names.in(directory).has(name)) throw failure('EEXIST', 'link', path);
      if (inode.kind === 'directory') throw failure('EPERM', 'link', existing);
      this.#addName(directory, name, () => inode, path);
    });
  }

  rename(from: string, to: string): Promise<void> {
    return this.#perform('rename', from, () => {
      const inode = this.#existing(from, 'rename');
      const source = this.#place(from, 'rename');
      const target = this.#place(to, 'rename');
      const replaced = this.#find(to);
      if (replaced === inode) return;
      if (replaced?.kind === 'directory' && inode.kind === 'file') throw failure('EISDIR', 'rename', to);
      if (replaced?.kind === 'file' && inode.kind === 'directory') throw failure('ENOTDIR', 'rename', to);
      this.#names.change([
        { ...source, inode: null },
        { ...target, inode: inode.number },
      ]);
    });
  }

  unlink(path: string): Promise<void> {
    return this.#perform('unlink', path, () => {
      if (this.#existing(path, 'unlink').kind === 'directory') throw failure('EISDIR', 'unlink', path);
      this.#names.change([{ ...this.#place(path, 'unlink'), inode: null }]);
    });
  }

  removeDirectory(path: string): Promise<void> {
    return this.#perform('removeDirectory', path, () => {
      const directory = this.#directory(path, 'rmdir');
      if (this.#names.in(directory).size > 0) throw failure('ENOTEMPTY', 'rmdir', path);
      this.#names.change([{ ...this.#place(path, 'rmdir'), inode: null }]);
    });
  }

  touch(path: string, modifiedAt: number): Promise<void> {
    return this.#perform('touch', path, () => {
      this.#existing(path, 'utime').modifiedAt = modifiedAt;
    });
  }

  syncDirectory(path: string): Promise<void> {
    // After a failed sync the changes stay pending, because a file system's journal keeps them.
    return this.#perform('syncDirectory', path, () => this.#names.sync(this.#directory(path, 'fsync')));
  }

  space(path: string): Promise<DiskSpace> {
    return this.#perform('space', path, () => {
      this.#existing(path, 'statfs');
      return { freeBytes: this.#free(), totalBytes: this.capacity };
    });
  }

  #handle(handle: OpenHandle, writable: boolean): DiskFile {
    this.#handles.add(handle);
    const { path, inode } = handle;
    const perform = <T>(name: OperationName, effect: () => T, failed?: () => void): Promise<T> =>
      this.#perform(
        name,
        path,
        () => {
          if (!this.#handles.has(handle)) throw failure('EBADF', name, path);
          return effect();
        },
        failed,
      );
    const needWritable = (name: OperationName) => {
      if (!writable) throw failure('EBADF', name, path);
    };
    return {
      read: (into, position) =>
        perform('read', () => {
          if (inode.kind === 'directory') throw failure('EISDIR', 'read', path);
          const there = inode.content.cache.subarray(position, position + into.length);
          const some = this.#some(there.length, this.refusals.chances.shortRead);
          into.set(there.subarray(0, some));
          return some;
        }),
      write: (parts, position) =>
        perform('write', () => {
          needWritable('write');
          const bytes = Buffer.concat(parts);
          const room = this.#roomAt(inode, position, bytes.length);
          if (room === 0 && bytes.length > 0) throw failure('ENOSPC', 'write', path);
          const some = Math.min(room, this.#some(bytes.length, this.refusals.chances.shortWrite));
          inode.content = written(inode.content, bytes.subarray(0, some), position);
          inode.modifiedAt = this.now;
          return some;
        }),
      truncate: (size) =>
        perform('truncate', () => {
          if (!writable) throw failure('EINVAL', 'ftruncate', path);
          inode.content = truncated(inode.content, size);
          inode.modifiedAt = this.now;
        }),
      sync: () =>
        perform(
          'sync',
          () => {
            inode.content = synced(inode.content);
          },
          () => {
            inode.content = failedSync(inode.content, this.#draw);
          },
        ),
      facts: () => perform('facts', () => factsOf(inode)),
      close: () => perform('close', () => void this.#handles.delete(handle)),
    };
  }

  /** Schedules an operation. `failed` is the effect that it has even if it is refused. */
  #perform<T>(name: OperationName, path: string, effect: () => T, failed: () => void = () => {}): Promise<T> {
    return this.scheduler.perform(name, path, () => {
      const code = this.refusals.codeFor({ name, path }, this.#draw);
      if (code === null) return effect();
      failed();
      throw failure(code, name, path);
    });
  }

  #left(draw: Draw, names: Names, bytesOf: (content: Content) => Buffer): SimulatedDisk {
    const inodes = new Map<number, Inode>();
    for (const [number, inode] of this.#inodes)
      inodes.set(number, { ...inode, content: contentOf(bytesOf(inode.content)) });
    const left = new SimulatedDisk(draw, { inodes, names, nextInode: this.#nextInode });
    left.now = this.now;
    left.capacity = this.capacity;
    return left;
  }

  /** Returns how many of the bytes the system handles this time. */
  #some(bytes: number, chance: number): number {
    return bytes > 1 && chance > 0 && this.#draw.chance(chance) ? 1 + this.#draw.int(bytes - 1) : bytes;
  }

  #roomAt(inode: Inode, position: number, bytes: number): number {
    const allocated = blocksOf(inode.content.cache.length) * BLOCK_BYTES;
    const end = allocated + Math.floor(this.#free() / BLOCK_BYTES) * BLOCK_BYTES;
    return Math.max(0, Math.min(bytes, end - position));
  }

  #free(): number {
    if (this.capacity === Number.POSITIVE_INFINITY) return this.capacity;
    const held = this.#reachable();
    for (const { inode } of this.#handles) held.add(inode.number);
    let used = 0;
    for (const number of held) {
      const inode = this.#inodes.get(number);
      const names =
        inode?.kind === 'directory' ? Math.max(1, Math.ceil(this.#names.in(number).size / NAMES_IN_BLOCK)) : 0;
      used += (blocksOf(inode?.content.cache.length ?? 0) + names) * BLOCK_BYTES;
    }
    return Math.max(0, this.capacity - used);
  }

  #reachable(): Set<number> {
    const found = new Set<number>();
    const walk = (number: number): void => {
      found.add(number);
      for (const child of this.#names.in(number).values()) walk(child);
    };
    walk(ROOT);
    return found;
  }

  #make(kind: Inode['kind']): Inode {
    const inode = newInode(this.#nextInode++, kind, this.now);
    this.#inodes.set(inode.number, inode);
    return inode;
  }

  #addName(directory: number, name: string, inodeOf: () => Inode, path: string): Inode {
    const there = this.#names.in(directory).size;
    const isFull = there > 0 && there % NAMES_IN_BLOCK === 0;
    if (isFull && this.#free() < BLOCK_BYTES) throw failure('ENOSPC', 'open', path);
    const inode = inodeOf();
    this.#names.change([{ directory, name, inode: inode.number }] satisfies NameChange);
    return inode;
  }

  #find(path: string): Inode | null {
    let number: number | undefined = ROOT;
    for (const name of partsOf(path)) number = number === undefined ? number : this.#names.in(number).get(name);
    return number === undefined ? null : (this.#inodes.get(number) ?? null);
  }

  #existing(path: string, call: string): Inode {
    const { directory, name } = this.#place(path, call);
    const number = name === '' ? ROOT : this.#names.in(directory).get(name);
    const inode = number === undefined ? undefined : this.#inodes.get(number);
    if (inode === undefined) throw failure('ENOENT', call, path);
    return inode;
  }

  #directory(path: string, call: string): number {
    const inode = this.#existing(path, call);
    if (inode.kind !== 'directory') throw failure('ENOTDIR', call, path);
    return inode.number;
  }

  /** Returns the directory of a path, and its last name. */
  #place(path: string, call: string): { directory: number; name: string } {
    const parts = partsOf(path);
    const name = parts.pop() ?? '';
    let directory = ROOT;
    for (const part of parts) {
      const number = this.#names.in(directory).get(part);
      if (number === undefined) throw failure('ENOENT', call, path);
      if (this.#inodes.get(number)?.kind !== 'directory') throw failure('ENOTDIR', call, path);
      directory = number;
    }
    return { directory, name };
  }
}
