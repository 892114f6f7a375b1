import { copyByProgram, osc52 } from '../../../ui/terminal/shell/clipboard.ts';

/** Into the clipboard: by the machine's own program where there is one, else by asking the terminal. */
export async function copyText(text: string): Promise<void> {
  if (await copyByProgram(text, process.env, process.platform)) return;
  const sequence = osc52(text);
  if (sequence !== null && process.stdout.isTTY) process.stdout.write(sequence);
}
