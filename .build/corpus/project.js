import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the corpus. */
export const OUT = join(import.meta.dirname, '../../test/corpus/rendered');
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Makes values from a seed. */
export function seeded(seed) {
  let count = 0;
  const byte = () => createHash('sha256').update(`mailcap ${seed} ${count++}`).digest().readUInt32BE(0);
  const pick = (all) => all[byte() % all.length];
  const many = (all, length) => Array.from({ length }, () => pick(all)).join('');
  return {
    pick,
    digits: (length = 6) => many('0123456789', length),
    token: (length = 40) => many('abcdefghijklmnopqrstuvwxyz0123456789', length),
    jwt: () =>
      `eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3ODU0OTU2MDAsImp0aSI6${many('abcdefghijkXYZ0123456789', 60)}.${many('abcdefghijkXYZ_-0123456789', 43)}`,
    letters: (length = 6) => {
      for (;;) {
        const code = many(`${LETTERS}0123456789`, length);
        if (/[0-9]/.test(code) && /[A-Z]/.test(code)) return code;
      }
    },
    name: () => pick(['Ada', 'Grace', 'Linus', 'Yuki', 'Olga', 'Kemal']),
  };
}

/** One project, with the mails that were rendered of it. */
export class Project {
  constructor(name) {
    this.name = name;
    this.random = seeded(name);
    this.mails = [];
  }
  add({ language, subject, text, html, code = null, links = [] }) {
    const mail = {
      id: `${this.name}-${this.mails.length + 1}`,
      language,
      subject: subject.replace(/\s+/g, ' ').trim(),
    };
    if (text !== undefined) mail.text = text.replace(/\n{3,}/g, '\n\n');
    if (html !== undefined)
      mail.html = html
        .replace(/\n\s*(?=\n)/g, '')
        .replace(/\n[ \t]+/g, '\n')
        .trim();
    const body = `${mail.subject}\n${text ?? ''}\n${(html ?? '').replaceAll('&amp;', '&')}`;
    for (const value of [...(code === null ? [] : [code]), ...links.map(({ url }) => url)]) {
      if (!body.includes(value)) throw new Error(`${mail.id} lacks ${value}`);
    }
    this.mails.push({ ...mail, code, links });
  }
  save() {
    writeFileSync(join(OUT, `${this.name}.jsonl`), this.mails.map((mail) => `${JSON.stringify(mail)}\n`).join(''));
    console.log(this.name, this.mails.length, new Set(this.mails.map(({ language }) => language)).size);
  }
}

/** A link with its kind. `main` marks the one that the mail is about. */
export const link = (url, kind, main = true) => ({ url, kind, main });
