import { parentPort, workerData } from 'node:worker_threads';
import { nodeDisk } from '../disk/node-disk.ts';
import { TextLibrary } from './library.ts';
import { FileShelf, MemoryShelf } from './shelf.ts';
import type { TextCall, TextPlace, TextReply } from './text-thread.ts';

// The program of the thread that has the texts of a store.

const { directory, store } = workerData as TextPlace; // only TextThread starts it
const opened = TextLibrary.open(directory === null ? new MemoryShelf() : new FileShelf(nodeDisk, directory, store));

parentPort?.on('message', ({ number, call }: { readonly number: number; readonly call: TextCall }) => {
  void answer(call).then(
    (reply) => parentPort?.postMessage({ number, ...reply } satisfies TextReply),
    (error: unknown) => parentPort?.postMessage({ number, error: String(error) } satisfies TextReply),
  );
});

async function answer(call: TextCall) {
  const library = await opened;
  const found = call.kind === 'find' ? await library.find(call.request) : null;
  if (call.kind === 'add') await library.add(call.after, call.texts);
  if (call.kind === 'compare') await library.compare(call.cover, call.ids);
  if (call.kind === 'erase') await library.erase(call.gone);
  return { covers: library.covers, found };
}
