import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

/** A fenced code block: its language, the mark after it, and its text. */
export interface Block {
  readonly language: string;
  readonly mark: string;
  readonly text: string;
}

/** The pages for contributors that stand beside what they describe. */
const BESIDE_THE_CODE = [
  'src/store/file/README.md',
  'test/clients/README.md',
  'test/corpus/FIGURES.md',
  'test/corpus/README.md',
];

/** Returns every documentation page by its path: those at the root, beside the code, in docs/ and in examples/. */
export function pages(): Map<string, string> {
  const atTop = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
  const below = ['docs', 'examples'].flatMap((directory) =>
    readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((name) => `${directory}/${name}`),
  );
  const isPage = (path: string) => path.endsWith('.md') && !path.includes('node_modules');
  return new Map([...atTop, ...BESIDE_THE_CODE, ...below.filter(isPage)].map((path) => [path, readPage(path)]));
}

export function readPage(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const [, language = '', mark = '', text = ''] of markdown.matchAll(/^```(\w*) ?(\w*)\n([\s\S]*?)^```$/gm)) {
    blocks.push({ language, mark, text });
  }
  return blocks;
}

/** Returns the only block of a page with this mark. */
export function blockOf(path: string, mark: string): string {
  const found = blocksOf(readPage(path)).filter((block) => block.mark === mark);
  if (found.length !== 1) throw new Error(`${path} has ${found.length} blocks ${mark}, not one`);
  return found[0]?.text ?? '';
}

/** Replaces the ports of a page's text by those of the server. */
export function onPorts({ url, smtpPort }: { readonly url: string; readonly smtpPort: number }, text: string): string {
  return text
    .replaceAll('127.0.0.1:8025', `127.0.0.1:${new URL(url).port}`)
    .replaceAll('127.0.0.1:1025', `127.0.0.1:${smtpPort}`)
    .replaceAll('port: 1025', `port: ${smtpPort}`);
}
