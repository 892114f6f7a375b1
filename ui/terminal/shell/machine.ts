import type { CopyResult } from '../../../src/clipboard.ts';

/** The functions of the reader's machine that the inbox uses. */
export interface TerminalMachine {
  /** Copies a text to the clipboard and returns the result. Never rejects. */
  copy(text: string): Promise<CopyResult>;
  /** Opens a page in the default browser. */
  browse(url: string): void;
  /** The directory for attachments as the reader sees it, with `~` for the home directory. */
  readonly directory: string;
  /** Saves an attachment in that directory and returns its file name. */
  save(name: string, bytes: Uint8Array): Promise<string>;
}
