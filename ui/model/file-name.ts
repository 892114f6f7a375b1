import { harmlessLine } from '../../src/text/harmless.ts';

/** Turns a text into a file name without its extension: no path separator, no leading dot, no reserved character. */
export function safeFileName(text: string): string {
  return harmlessLine(text, 80)
    .replace(/[<>:"/\\|?*\u2400-\u2421\ufffd…]/g, '_')
    .replace(/^[.\s~-]+|(?<![.\s])[.\s]+$/g, '');
}
