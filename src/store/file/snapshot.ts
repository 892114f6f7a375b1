import { open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { type Change, SMALL_TABLES, type State } from '../tables/state.ts';
import { StoreRefused } from './lock.ts';
import { FORMAT } from './record.ts';

/** A place in the log. */
export interface Position {
  readonly segment: number;
  readonly offset: number;
}

/** The small document: every row of the small tables, as of a place in the log. */
export interface SnapshotDocument {
  readonly format: number;
  /** Changes to small tables before it are in here, later ones only in the log. */
  readonly position: Position;
  readonly changes: readonly Change[];
}

const EMPTY: SnapshotDocument = { format: FORMAT, position: { segment: 0, offset: 0 }, changes: [] };

/** The snapshot beside the log, by lowdb. */
export class Snapshot {
  readonly #db: Low<SnapshotDocument>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(db: Low<SnapshotDocument>) {
    this.#db = db;
  }

  /** Reads what is there. Throws {@link StoreRefused} `STORE_FORMAT` for what this version can't read. */
  static async open(directory: string): Promise<Snapshot> {
    const path = join(directory, 'state.json');
    const db = new Low<SnapshotDocument>(new DurableJsonFile(path), EMPTY);
    try {
      await db.read();
    } catch (error) {
      throw new StoreRefused(
        'STORE_FORMAT',
        `${path} can't be read as JSON; restore it, or start anew with another --data-dir`,
        { cause: error },
      );
    }
    if (db.data.format !== FORMAT) {
      throw new StoreRefused(
        'STORE_FORMAT',
        `${path} is of format ${String(db.data.format)}, this mailcap reads format ${FORMAT}; use the version that wrote it, or another --data-dir`,
      );
    }
    return new Snapshot(db);
  }

  get document(): SnapshotDocument {
    return this.#db.data;
  }

  /** Replaces the snapshot by the small tables as they are now, which is at `position`. */
  write(state: State, position: Position): Promise<void> {
    const changes = SMALL_TABLES.flatMap((name) => [...state.puts(name)]);
    const document: SnapshotDocument = { format: FORMAT, position, changes };
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        this.#db.data = document;
        await this.#db.write();
        // Kept only on disk: the rows live in the state.
        this.#db.data = { ...document, changes: [] };
      });
    return this.#writing;
  }
}

/** lowdb's own adapter renames too, but does not wait for the disk, and space is given back on the word of this file. */
class DurableJsonFile implements Adapter<SnapshotDocument> {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async read(): Promise<SnapshotDocument | null> {
    try {
      // The format is checked right after.
      return JSON.parse(await readFile(this.#path, 'utf8')) as SnapshotDocument;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  async write(document: SnapshotDocument): Promise<void> {
    const aside = `${this.#path}.new`;
    const file = await open(aside, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(document));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, this.#path);
    await syncDirectory(dirname(this.#path));
  }
}

/** Makes names durable: those of files created, renamed or removed in a directory. */
export async function syncDirectory(directory: string): Promise<void> {
  // Windows can't open a directory; its rename is as durable as it gets there.
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
