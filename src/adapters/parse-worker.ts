import { parentPort } from 'node:worker_threads';
import { loadMailparser, parseMail } from '../mail/parse.ts';
import { type ParseReply, type ParseTask, type TaskKind, type TaskResult, toMessage } from './parse-message.ts';

// The program of the parser thread. It answers one task after another. It says when it begins, because the time that its
// modules take to load is not the mail's.
parentPort?.on('message', (task: ParseTask) => void answer(task));

/** Does a task. `moved` are the buffers of the result that are transferred. */
type Work<Kind extends TaskKind> = (task: ParseTask<Kind>) => Promise<{
  readonly result: TaskResult<Kind>;
  readonly moved?: ArrayBuffer[];
}>;

/** Loads what a task needs. Most threads do few kinds of tasks, and the words of all languages take time to load. */
const LOADERS: { readonly [Kind in TaskKind]: () => Promise<Work<Kind>> } = {
  async parse() {
    await loadMailparser();
    return async ({ raw }) => {
      const parse = await parseMail(Buffer.from(raw), (mail) => {
        const { contents: _none, ...known } = toMessage({ mail, contents: [] });
        say({ kind: 'known', known });
      });
      const result = toMessage(parse);
      return { result, moved: [result.contents] };
    };
  },
  async find() {
    const { findCodesAndLinks } = await import('../extract/find.ts');
    return async ({ texts }) => ({ result: findCodesAndLinks(texts) });
  },
  async see() {
    const { seeMail } = await import('../extract/find.ts');
    return async ({ texts }) => ({ result: seeMail(texts) });
  },
  async check() {
    const { checkRaw } = await import('../checks/check-mail.ts');
    return async ({ raw, options }) => ({ result: await checkRaw(Buffer.from(raw), options) });
  },
  async documents() {
    const { makeDocument } = await import('./make-document.ts');
    await loadMailparser();
    return async ({ mails }) => {
      const result = [];
      for (const { message, raw } of mails) result.push(await makeDocument(message, Buffer.from(raw)));
      return { result };
    };
  },
  async thumbnail() {
    const { makeThumbnail } = await import('./make-thumbnail.ts');
    return async ({ content }) => {
      const result = makeThumbnail(new Uint8Array(content));
      return { result, moved: [result.buffer] };
    };
  },
  async password() {
    const { hasHash } = await import('./check-password.ts');
    return async ({ hash, password }) => ({ result: hasHash(hash, password) });
  },
  async page() {
    const { makePage } = await import('./make-page.ts');
    return async (task) => {
      const result = makePage(task);
      return { result, moved: [result.html.buffer] };
    };
  },
};

async function answer<Kind extends TaskKind>(task: ParseTask<Kind>): Promise<void> {
  const work = await LOADERS[task.kind]();
  say({ kind: 'begun' });
  const { result, moved } = await work(task);
  say({ kind: 'done', result }, moved);
}

function say(reply: ParseReply, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(reply, moved);
}
