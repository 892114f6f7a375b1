import { resolve } from 'node:path';

// Rolldown makes a chunk of each set of modules that the same entry points and lazy imports need. With a hundred lazy
// imports that is a file for each second module. Here lazy imports of one kind count as one, so that the package has a
// few dozen files, and each entry point still loads nothing that it does not need.

/** Entry points that people start or import. What one of them needs at once is loaded with none of the others' needs. */
const LAYERS = {
  client: 'client',
  main: 'program',
  index: 'server',
  serve: 'server',
  'parse-worker': 'thread',
  cypress: 'runner',
  jest: 'runner',
  playwright: 'runner',
  testcontainers: 'runner',
  vitest: 'runner',
  'vitest-global-setup': 'runner',
};
/** What is imported lazily, by the path of its module in dist. */
const KINDS = [
  [/\/src\/cli\/program\.js$/, 'program'],
  [/\/src\/(cli\/mcp|cli\/mail\/agent-output|mcp\/)/, 'mcp'],
  [/\/src\/cli\/dev(\/print-events)?\.js$/, 'dev'],
  [/\/src\/cli\/server\/(copy|doctor)\.js$/, 'store-commands'],
  [/\/src\/cli\//, 'commands'],
  [/\/ui\/terminal\//, 'inbox'],
  [/\/(postgres\/|s3-storage)/, 'postgres'],
  [/\/src\/store\//, 'files'],
  [/\/(mailauth\/|check-raw|clamd)/, 'checks'],
  [/\/src\/(extract|http)\//, 'pages'],
];
/** The kinds of commands. Modules that several of them need are one chunk. */
const OF_COMMANDS = new Set(['commands', 'inbox', 'mcp', 'store-commands']);

/** Returns a plugin, and the options of code splitting that it serves. `entries` has the files in dist by name. */
export function chunks(entries) {
  for (const name of Object.keys(entries))
    if (!(name in LAYERS)) throw new Error(`the entry point ${name} has no layer in .build/chunks.js`);
  const graph = new Map();
  let named = null;
  return {
    plugin: {
      name: 'chunks',
      buildEnd() {
        for (const id of this.getModuleIds()) graph.set(id, this.getModuleInfo(id));
      },
      generateBundle(_options, files) {
        leaveOutDoors(files);
      },
    },
    preserveEntrySignatures: 'allow-extension',
    codeSplitting: {
      // A module and what it imports get names by the same rule: a chunk imports only chunks that more things need.
      includeDependenciesRecursively: false,
      groups: [
        {
          debugName: 'by need',
          name: (id) => {
            named ??= namesOf(graph, entries);
            return named.get(id) ?? null;
          },
        },
      ],
    },
  };
}

/** Returns the name of the chunk of each module. A module without a name is left to Rolldown. */
function namesOf(graph, entries) {
  const users = new Map([...graph.keys()].map((id) => [id, new Set()]));
  const started = new Map(Object.entries(entries).map(([name, file]) => [resolve(file), name]));
  for (const [id, name] of started) reach(graph, id, (each) => users.get(each).add(`entry ${name}`));
  for (const { dynamicallyImportedIds } of graph.values())
    for (const id of dynamicallyImportedIds)
      if (graph.has(id)) reach(graph, id, (each) => users.get(each).add(kindOf(id)));
  const names = [...users].filter(([id]) => !started.has(id)).map(([id, by]) => [id, nameOf(by)]);
  return new Map(names.filter(([, name]) => name !== null));
}

function reach(graph, from, visit) {
  const seen = new Set([from]);
  for (const id of seen) {
    visit(id);
    for (const next of graph.get(id).importedIds) if (graph.has(next)) seen.add(next);
  }
}

function kindOf(id) {
  const path = id.replaceAll('\\', '/');
  return KINDS.find(([pattern]) => pattern.test(path))?.[1] ?? `only ${path}`;
}

function nameOf(by) {
  const entries = [...by].filter((user) => user.startsWith('entry ')).map((user) => user.slice('entry '.length));
  const layers = new Set(entries.map((name) => LAYERS[name]));
  if (by.has('program')) layers.add('program');
  // A command that asks a running server loads nothing of a server but what it needs itself, and a server that is started
  // nothing of such commands.
  for (const kind of ['commands', 'dev']) if (by.has(kind)) layers.add(kind);
  if (by.has('mcp') && layers.has('server') && !layers.has('commands')) layers.add('mcp');
  // A module that one runner alone needs may import that runner.
  if (layers.size === 1 && layers.has('runner') && entries.length === 1) return null;
  if (layers.size > 0) return [...layers].sort().join('-');
  const kinds = [...by].sort();
  if (kinds.length === 1) return kinds[0].startsWith('only ') ? null : kinds[0];
  return kinds.every((kind) => OF_COMMANDS.has(kind)) ? 'of-commands' : null;
}

/** The whole of a chunk that only hands on what another exports. */
const DOOR = /^export \{ ([^}]+) \} from ("\.\/[^"]+");\s*$/;

/**
 * Leaves out the chunks that only hand on what another one exports: Rolldown makes one for each lazy import of a module
 * that it did not put into a chunk of its own. Whoever imports it then imports the other.
 */
function leaveOutDoors(files) {
  const doors = new Map();
  for (const [name, file] of Object.entries(files)) {
    const [, names, from] = (file.type === 'chunk' && !file.isEntry && DOOR.exec(file.code)) || [];
    if (names === undefined) continue;
    const taken = names.split(', ').map((one) => one.split(' as '));
    const object = taken.map(([inner, outer = inner]) => `${outer}: m.${inner}`).join(', ');
    doors.set(`import("./${name}")`, `import(${from}).then((m) => ({ ${object} }))`);
    delete files[name];
  }
  for (const file of Object.values(files))
    if (file.type === 'chunk')
      file.code = file.code.replace(/import\("\.\/[^"]+"\)/g, (lazy) => doors.get(lazy) ?? lazy);
}
