import { parentPort } from 'node:worker_threads';
import { loadMailparser, parseMail } from '../mail/parse.ts';
import { type ParseReply, type ParseTask, toMessage } from './parse-message.ts';

// The program of the parser thread. It answers one task after another. It says when it begins, because the time that its
// modules take to load is not the mail's.
parentPort?.on('message', (task: ParseTask) => void answer(task));

async function answer(task: ParseTask): Promise<void> {
  if (task.kind === 'find') {
    // The words of all languages take time to load. A thread that only parses does not need them.
    const { findCodesAndLinks } = await import('../extract/find.ts');
    say({ kind: 'begun' });
    say({ kind: 'found', found: findCodesAndLinks(task.texts) });
    return;
  }
  if (task.kind === 'see') {
    const { seeMail } = await import('../extract/find.ts');
    say({ kind: 'begun' });
    say({ kind: 'seen', seen: seeMail(task.texts) });
    return;
  }
  if (task.kind === 'check') {
    // Most threads never check a mail, so the rules and their data are loaded only for the first check.
    const { checkRaw } = await import('../checks/check-mail.ts');
    say({ kind: 'begun' });
    say({ kind: 'checked', checked: await checkRaw(Buffer.from(task.raw), task.options) });
    return;
  }
  if (task.kind === 'thumbnail') {
    const { makeThumbnail } = await import('./make-thumbnail.ts');
    say({ kind: 'begun' });
    const jpeg = makeThumbnail(new Uint8Array(task.content));
    say({ kind: 'thumbnail', jpeg }, [jpeg.buffer]);
    return;
  }
  if (task.kind === 'password') {
    const { hasHash } = await import('./check-password.ts');
    say({ kind: 'begun' });
    say({ kind: 'password', isRight: hasHash(task.hash, task.password) });
    return;
  }
  if (task.kind === 'documents') {
    const { makeDocument } = await import('./make-document.ts');
    await loadMailparser();
    say({ kind: 'begun' });
    const documents = [];
    for (const { message, raw } of task.mails) documents.push(await makeDocument(message, Buffer.from(raw)));
    say({ kind: 'documents', documents });
    return;
  }
  if (task.kind === 'page') {
    // Most threads make no page, so the same holds here.
    const { makePage } = await import('./make-page.ts');
    say({ kind: 'begun' });
    const page = makePage(task);
    say({ kind: 'page', page }, [page.html.buffer]);
    return;
  }
  await loadMailparser();
  say({ kind: 'begun' });
  const parse = await parseMail(Buffer.from(task.raw), (mail) => {
    const { contents: _none, ...known } = toMessage({ mail, contents: [] });
    say({ kind: 'known', known });
  });
  const parsed = toMessage(parse);
  say({ kind: 'parsed', parsed }, [parsed.contents]);
}

function say(reply: ParseReply, moved: ArrayBuffer[] = []): void {
  parentPort?.postMessage(reply, moved);
}
