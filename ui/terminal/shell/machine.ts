/** What the inbox does on the reader's machine. */
export interface Machine {
  /** To the clipboard, as far as there is one. */
  copy(text: string): Promise<void>;
  /** Opens a page in the browser. */
  browse(url: string): void;
  /** Keeps an attachment in the working directory; the name it got. */
  save(name: string, bytes: Uint8Array): Promise<string>;
}
