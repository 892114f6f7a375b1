import { parentPort, workerData } from 'node:worker_threads';
import { nodeDisk } from '../disk/node-disk.ts';
import { TextLibrary } from './library.ts';
import type { LibraryCalls } from './message-texts.ts';
import { FileShelf, MemoryShelf } from './shelf.ts';
import type { TextCall, TextPlace, TextReply } from './text-thread.ts';

// The program of the thread that has the texts of a store.

const { directory, store } = workerData as TextPlace; // only TextThread starts it
const opened = TextLibrary.open(directory === null ? new MemoryShelf() : new FileShelf(nodeDisk, directory, store));

parentPort?.on('message', ({ number, name, args }: TextCall) => {
  void call(name, args).then(
    (result) => parentPort?.postMessage({ number, result } satisfies TextReply),
    (error: unknown) => parentPort?.postMessage({ number, error: String(error) } satisfies TextReply),
  );
});

async function call(name: TextCall['name'], args: TextCall['args']): Promise<unknown> {
  const library: Omit<LibraryCalls, 'close'> = await opened;
  // TextThread gives each method its own arguments.
  return Reflect.apply(library[name], library, args);
}
