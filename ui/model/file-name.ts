import { harmlessLine } from './harmless.ts';

/** A text as the stem of a file's name: no path, nothing hidden, nothing that some system forbids. */
export function safeFileName(text: string): string {
  return harmlessLine(text, 80)
    .replace(/[<>:"/\\|?*\u2400-\u2421\ufffd…]/g, '_')
    .replace(/^[.\s~-]+|[.\s]+$/g, '');
}
