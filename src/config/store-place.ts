import { resolve as resolvePath } from 'node:path';
import { checkOption, readStore } from './checks.ts';
import { misplaced } from './value.ts';

/** The place of a whole store. A data directory also has the credentials of its server. */
export type StorePlace =
  | { readonly kind: 'data directory' | 'directory'; readonly path: string }
  /** The URL may hold a password, so it is never shown. */
  | { readonly kind: 'postgres'; readonly url: string };

/**
 * Reads the place of a store: a `postgres://` URL, `file:<dir>` as `--store` takes it, or the path of a data directory.
 * Throws a ConfigError that names the place as `name`.
 */
export function readStorePlace(text: string, name: string, cwd: string): StorePlace {
  const isUrl = /^(postgres(ql)?|file|memory):/i.test(text);
  if (!isUrl) return { kind: 'data directory', path: resolvePath(cwd, text) };
  const given = { name, file: null, value: text };
  checkOption('store', text, given);
  const store = readStore(text, '', cwd);
  if (store.kind === 'postgres') return store;
  if (store.kind === 'file') return { kind: 'directory', path: store.directory };
  throw misplaced(given, 'a store in memory has nothing to copy.');
}
