import type { Copied } from './clipboard.ts';

/** What the inbox does on the reader's machine. */
export interface Machine {
  /** To a clipboard; what became of it. Never rejects. */
  copy(text: string): Promise<Copied>;
  /** Opens a page in the browser. */
  browse(url: string): void;
  /** Where attachments are saved, as it is told to the reader. */
  readonly directory: string;
  /** Keeps an attachment there; the name it got. */
  save(name: string, bytes: Uint8Array): Promise<string>;
}
