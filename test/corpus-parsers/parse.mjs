// Reads the paths of mails from standard input, one a line, and prints what postal-mime reads in each.
import { readFileSync } from 'node:fs';
import PostalMime from 'postal-mime';

const flat = (list = []) => list.flatMap((one) => one.group ?? [one]).flatMap(({ address }) => address || []);

async function read(path) {
  const { subject = null, from, to, cc, text = null, html = null } = await PostalMime.parse(readFileSync(path));
  return { subject, from: flat(from && [from]), toAndCc: [...flat(to), ...flat(cc)], text, html };
}

const paths = readFileSync(0, 'utf8').trim().split('\n');
process.stdout.write(JSON.stringify(await Promise.all(paths.map((path) => read(path)))));
