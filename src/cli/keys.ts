import { stdin } from 'node:process';

/** Calls what a key stands for, where standard input is a terminal. The return value gives the terminal back. */
export function listenForKeys(actions: Readonly<Record<string, () => void>>): () => void {
  if (!stdin.isTTY) return () => {};
  const restore = () => stdin.setRawMode(false);
  const onData = (data: Buffer) => {
    for (const key of data.toString('latin1')) if (Object.hasOwn(actions, key)) actions[key]?.();
  };
  stdin.setRawMode(true);
  stdin.on('data', onData);
  // Also where a second signal ends the process at once.
  process.once('exit', restore);
  return () => {
    process.off('exit', restore);
    stdin.off('data', onData);
    stdin.pause();
    restore();
  };
}
