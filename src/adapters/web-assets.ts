import { extname } from 'node:path';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { listOwnFiles, readOwnFile } from '../own-files.ts';
import type { WebAsset, WebAssets } from '../ports/server.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The extension of a packaged file. The other forms are made from that file. */
const PACKED = '.br';

/** Creates the built web inbox. It reads a file when it is first requested. */
export function createWebAssets(): WebAssets {
  // Only listed names are served, so a path in the name leads nowhere.
  const names: ReadonlySet<string> = new Set(listOwnFiles('web'));
  const read = new Map<string, WebAsset>();
  const get = (name: string): WebAsset | null => {
    const contentType = TYPES[extname(name)];
    if (contentType === undefined || !names.has(name + PACKED)) return null;
    const known = read.get(name);
    if (known !== undefined) return known;
    // A build after the start may have replaced the file by one with another name.
    const file = readOwnFile(`web/${name}${PACKED}`);
    if (file === null) return null;
    const asset = new PackedAsset(contentType, file);
    read.set(name, asset);
    return asset;
  };
  return { page: () => get('index.html'), get };
}

/** A file of the package. The forms that few clients need are made on first use. */
class PackedAsset implements WebAsset {
  readonly contentType: string;
  readonly brotli: Uint8Array;
  #gzip: Uint8Array | undefined;
  #plain: Uint8Array | undefined;

  constructor(contentType: string, brotli: Uint8Array) {
    this.contentType = contentType;
    this.brotli = brotli;
  }

  get gzip(): Uint8Array {
    this.#gzip ??= gzipSync(this.plain);
    return this.#gzip;
  }

  get plain(): Uint8Array {
    this.#plain ??= brotliDecompressSync(this.brotli);
    return this.#plain;
  }
}
