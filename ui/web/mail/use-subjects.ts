import { useEffect, useState } from 'react';
import { holdsMail } from '../../../src/text/mail-type.ts';
import type { MessageContent } from '../app/api.ts';
import { useShell } from '../use-shell.ts';

type Attachment = MessageContent['attachments'][number];

/** A digest may hold hundreds of mails without a name. The rest of them are named by their type. */
const MOST = 20;

/** Returns the subjects of the attached mails that have no file name, by their ids. They come one after another. */
export function useSubjects(messageId: string, attachments: readonly Attachment[]): ReadonlyMap<string, string> {
  const shell = useShell();
  const [subjects, setSubjects] = useState<ReadonlyMap<string, string>>(new Map());
  const ids = attachments
    .filter(({ filename, contentType }) => !filename && holdsMail((contentType ?? '').toLowerCase()))
    .slice(0, MOST)
    .map(({ id }) => id)
    .join(' ');
  useEffect(() => {
    let over = false;
    const read = async () => {
      for (const id of ids === '' ? [] : ids.split(' ')) {
        // A mail that is not read keeps the name of its type.
        const mail = await shell.api.getAttachedMail(messageId, id).catch(() => null);
        if (over) return;
        const subject = mail?.subject;
        if (subject) setSubjects((known) => new Map(known).set(id, subject));
      }
    };
    void read();
    return () => {
      over = true;
    };
  }, [ids, messageId, shell]);
  return subjects;
}
