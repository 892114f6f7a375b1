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

/** Beside the bundle, in the compiled tree, or from the sources while a build is there. */
const PLACES = ['./web', '../../bundle/web', '../../dist/bundle/web'];

/** The web inbox as the build left it. A file is read when it is first asked for. */
export function createWebAssets(): WebAssets {
  const directory = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  // What is not in this list is no file of ours, whatever path its name spells.
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
