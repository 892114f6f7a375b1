import { parentPort } from 'node:worker_threads';
import { parseMail } from '../mail/parse.ts';
import { toMessage } from './parse-message.ts';

// The thread's own program: a mail comes, its parse goes back. One at a time.
parentPort?.on('message', (raw: ArrayBuffer) => void answer(raw));

async function answer(raw: ArrayBuffer): Promise<void> {
  const message = toMessage(await parseMail(Buffer.from(raw)));
  parentPort?.postMessage(message, [message.contents]);
}
