import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block: its language, the word after it, and its text. */
export interface Block {
  readonly language: string;
  readonly mark: string;
  readonly text: string;
}

export const README = readFileSync(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8');

export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  for (const [, language = '', mark = '', text = ''] of markdown.matchAll(/^```(\w*) ?(\w*)\n([\s\S]*?)^```$/gm)) {
    blocks.push({ language, mark, text });
  }
  return blocks;
}
