import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WebAsset, WebAssets } from '../ports/web-assets.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The places of the built files: beside the bundle, in the compiled tree, or below dist when run from source. */
const PLACES = ['./web', '../../bundle/web', '../../dist/bundle/web'];

/** Creates the built web inbox. It reads a file when it is first requested. */
export function createWebAssets(): WebAssets {
  const directory = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  // Only listed names are served, so a path in the name leads nowhere.
  const names: ReadonlySet<string> = new Set(directory === undefined ? [] : readdirSync(directory));
  const read = new Map<string, WebAsset>();
  const get = (name: string): WebAsset | null => {
    const contentType = TYPES[extname(name)];
    if (directory === undefined || contentType === undefined || !names.has(name)) return null;
    const known = read.get(name);
    if (known !== undefined) return known;
    const beside = (ending: string) => (names.has(name + ending) ? readFileSync(join(directory, name + ending)) : null);
    const plain = readFileSync(join(directory, name));
    const asset = { contentType, plain, brotli: beside('.br'), gzip: beside('.gz') };
    read.set(name, asset);
    return asset;
  };
  return { page: () => get('index.html'), get };
}
