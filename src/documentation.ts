import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import type { DocsIndex } from './text/docs-index.ts';

/** A page of the documentation. */
export interface DocsPage {
  /** The name of the page: `faults` for docs/faults.md. */
  readonly name: string;
  readonly title: string;
  /** The heading of docs/README.md below which the page is listed, its short name there, and what it is about. */
  readonly group: string;
  readonly label: string;
  readonly about: string;
  readonly markdown: string;
  /** The text below the title. */
  readonly html: string;
  readonly headings: readonly DocsHeading[];
}

export interface DocsHeading {
  /** 2 for a heading right below the title. */
  readonly level: number;
  readonly anchor: string;
  readonly html: string;
  /** Where it begins in the Markdown of the page. */
  readonly at: number;
}

export interface Documentation {
  /** The pages in the order of docs/README.md. */
  readonly pages: readonly DocsPage[];
  readonly index: DocsIndex;
}

/** The places of the built file: beside the bundle, in the compiled tree, or below dist when run from source. */
const PLACES = ['./docs.br', '../bundle/docs.br', '../dist/bundle/docs.br'];

let read: Documentation | null = null;

/** Returns the documentation of this version, which the package holds. Null if it was not built. */
export function documentation(): Documentation | null {
  if (read !== null) return read;
  const file = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync);
  if (file === undefined) return null;
  // .build/docs.js wrote it.
  read = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Documentation;
  return read;
}
