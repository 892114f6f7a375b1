import { readFileSync, writeFileSync } from 'node:fs';

// This program writes clients.ts and support.ts in src/checks/clients from the data of caniemail.com, which the package
// `caniemail` of npm carries (MIT): npm pack caniemail && tar xzf caniemail-*.tgz && node .build/client-support.js
// package
//
// It keeps only the data that the checks use: the name of each feature, and one letter for each client, for the newest
// tested version. That is 31 KB instead of 650 KB.

const OUT = 'src/checks/clients';
/** Clients with fewer tested features are left out. */
const ENOUGH = 250;

const folder = process.argv[2] ?? 'package';
const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
const {
  data,
  last_update_date: updated,
  nicenames,
} = JSON.parse(readFileSync(`${folder}/data/caniemail.json`, 'utf8'));

const tested = new Map();
for (const { stats } of data)
  for (const [family, platforms] of Object.entries(stats))
    for (const platform of Object.keys(platforms)) {
      const id = `${family}.${platform}`;
      tested.set(id, (tested.get(id) ?? 0) + 1);
    }
const clients = [...tested].filter(([, count]) => count >= ENOUGH).map(([id]) => id);

const rows = data.map(({ slug, title, stats }) => {
  const letters = clients.map((id) => {
    const [family, platform] = id.split('.');
    return newest(stats[family]?.[platform])?.slice(0, 1) ?? '-';
  });
  return `${slug}|${title.trim()}|${letters.join('')}`;
});

const names = clients.map((id) => {
  const [family, platform] = id.split('.');
  const where = nicenames.platform[platform] ?? platform;
  return `  '${id}': '${nicenames.family[family]}${where === 'Outlook.com' ? '.com' : ` (${where})`}',`;
});

const origin = `// This file is generated from the data of caniemail.com, which is published under the MIT licence by Rémi Parmentier:
// node .build/client-support.js
`;
writeFileSync(
  `${OUT}/clients.ts`,
  `${origin}
/** The version of the data: that of the npm package \`caniemail\`, and the day of the last change. */
export const DATA = { source: 'caniemail.com', version: '${version}', date: '${updated.slice(0, 10)}' } as const;

/** The clients by their ids. Their order is that of the letters of a feature. */
export const CLIENTS = {
${names.join('\n')}
} as const;
`,
);
writeFileSync(
  `${OUT}/support.ts`,
  `${origin}
/**
 * The features, one a line: slug, title, and a letter for each client: y supported, a partly, n not, u unknown, - not
 * tested.
 */
export const FEATURES = \`
${rows.join('\n').replaceAll(/[\\`$]/g, '\\$&')}
\`;
`,
);

/** Returns the support in the newest tested version. Versions are numbers with dots, or months. */
function newest(versions) {
  const [last] = Object.keys(versions ?? {}).sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
  return last === undefined ? undefined : versions[last];
}
