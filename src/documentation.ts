import { brotliDecompressSync } from 'node:zlib';
import { readOwnFile } from './own-files.ts';
import type { DocsIndex } from './text/docs-index.ts';

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
  /** The position where it begins in the Markdown of the page. */
  readonly at: number;
}

export interface Documentation {
  /** The pages in the order of docs/README.md. */
  readonly pages: readonly DocsPage[];
  readonly index: DocsIndex;
}

let read: Documentation | null = null;

/** Returns the documentation of this version, which the package holds. Null if it was not built. */
export function documentation(): Documentation | null {
  if (read !== null) return read;
  const file = readOwnFile('docs.br');
  if (file === null) return null;
  // .build/docs.js wrote it.
  read = JSON.parse(brotliDecompressSync(file).toString()) as Documentation;
  return read;
}
