import { readFileSync, writeFileSync } from 'node:fs';

// This program writes where the project is: `npm run links -- https://github.com/owner/mailcap`. package.json is the one
// place that says so. npm, and the links of the documentation to files outside the package, read it there. The release
// runs this program with its own repository.

const [url = ''] = process.argv.slice(2);
const page = url.replace(/\/$/, '').replace(/\.git$/, '');
if (!/^https:\/\/[\w.-]+(\/[\w.-]+){2,}$/.test(page)) {
  process.stderr.write('usage: npm run links -- https://<host>/<owner>/<name>\n');
  process.exit(2);
}
const { name, version, description, ...rest } = JSON.parse(readFileSync('package.json', 'utf8'));
const links = {
  homepage: `${page}#readme`,
  bugs: { url: `${page}/issues` },
  repository: { type: 'git', url: `git+${page}.git` },
};
writeFileSync('package.json', `${JSON.stringify({ name, version, description, ...rest, ...links }, null, 2)}\n`);
