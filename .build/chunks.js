import { resolve } from 'node:path';

// Rolldown makes a chunk of each set of modules that the same entry points and lazy imports need. With a hundred lazy
// imports, that would be a file for every two modules. This plugin counts lazy imports of one kind as one, so the
// package has a few dozen files. Each entry point still loads only what it needs.

/**
 * The entry points that people start or import, each with its layer. Modules that only one layer needs at once are not
 * loaded with another layer.
 */
const LAYERS = {
  client: 'client',
  main: 'program',
  'program-index': 'server',
  serve: 'server',
  'parse-worker': 'thread',
  'text-worker': 'thread',
  cypress: 'runner',
  jest: 'runner',
  playwright: 'runner',
  testcontainers: 'runner',
  vitest: 'runner',
  'vitest-global-setup': 'runner',
};
/** The kinds of lazy imports, by the path of the imported module in dist. */
const KINDS = [
  [/\/src\/cli\/program\.js$/, 'program'],
  [/\/src\/cli\/any-line\.js$/, 'any-line'],
  [/\/src\/http\/(app|feed\/(event|handshake)|compat\/mailpit-webhook)\.js$/, 'http'],
  [/\/src\/(http\/providers|providers\/.*)\.js$/, 'providers'],
  [/\/src\/(imap|pop3)\/server\.js$/, 'readers'],
  [/\/src\/(cli\/mcp|mcp\/)/, 'mcp'],
  [/\/src\/cli\/(banner|dev(\/print-feed)?)\.js$/, 'dev'],
  [/\/src\/cli\/dev\/at-terminal\.js$/, 'keys'],
  [/\/src\/cli\/server\/(copy|doctor)\.js$/, 'store-commands'],
  [/\/src\/(cli\/mail\/(find-in-message|print-why)|client\/mailbox\/mailbox)\.js$/, 'finders'],
  [/\/src\/cli\/(api|archive|init|sendmail|tools)\//, 'commands-more'],
  [/\/src\/cli\/drop-in\//, 'drop-in'],
  [/\/src\/(cli\/|client\/client\.js$)/, 'commands'],
  [/\/ui\/terminal\//, 'inbox'],
  [/\/(postgres\/|s3-storage)/, 'postgres'],
  [/\/src\/store\//, 'files'],
  [/\/src\/client\/(webhook\/(send-)?webhook|authenticator\/step-files)\.js$/, 'client-more'],
  [/\/(mailauth\/|check-mail|clamd)/, 'checks'],
  [/\/src\/(otp\/totp|client\/webhook\/library-hmac)\.js$/, 'otp'],
  [/\/src\/(extract|http)\//, 'pages'],
];
/** The kinds of commands. Modules that several of them need are one chunk. */
const OF_COMMANDS = new Set(['any-line', 'finders', 'inbox', 'mcp', 'store-commands']);

/** The size, in bytes, below which a shared chunk gets no file of its own. Such chunks are joined. */
const TINY = 6_000;

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
      // A module and its imports get their chunks by the same rule, so a chunk imports only chunks with more users.
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
  const named = [...users].map(([id, by]) => [id, nameOf(by, started.get(id))]).filter(([, name]) => name !== null);
  return withoutTiny(new Map(named), graph);
}

/**
 * Joins the modules of tiny chunks that import nothing but each other and Node, so that loading them loads nothing
 * else. Modules of the client are joined apart from them and import no module of Node, because browsers have none.
 */
function withoutTiny(names, graph) {
  const modules = new Map();
  for (const [id, name] of names)
    if (!isExternal(graph.get(id))) modules.set(name, [...(modules.get(name) ?? []), graph.get(id)]);
  const isSmall = (all) => all.reduce((sum, { code }) => sum + code.length, 0) < TINY;
  const isClients = (name) => /\bclient\b/.test(name);
  // The name of a chunk that several layers need is made of theirs.
  const tiny = new Set([...modules].filter(([name, all]) => name.includes('-') && isSmall(all)).map(([name]) => name));
  const fits = (name, id) => {
    if (isExternal(graph.get(id))) return id.startsWith('node:') && !isClients(name);
    const other = names.get(id);
    return tiny.has(other) && (isClients(other) || !isClients(name));
  };
  const areLeft = () =>
    [...tiny].filter(
      (name) => !modules.get(name).every(({ importedIds }) => importedIds.every((id) => fits(name, id))),
    );
  for (let left = areLeft(); left.length > 0; left = areLeft()) for (const name of left) tiny.delete(name);
  const nameNow = (name) => (!tiny.has(name) ? name : isClients(name) ? 'shared-client' : 'shared');
  return new Map([...names].map(([id, name]) => [id, nameNow(name)]));
}

/** Tells whether a module is not part of the bundle. */
function isExternal(module) {
  return (module?.code ?? null) === null;
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

function isOfProgram(layer) {
  return ['commands', 'dev', 'keys', 'program'].includes(layer);
}

function isCommand(kind) {
  return kind.startsWith('commands');
}

function isBeside(user) {
  return !user.startsWith('entry ') && !isOfProgram(user) && !isCommand(user) && !OF_COMMANDS.has(user);
}

function nameOf(by, entry) {
  const entries = [...by].filter((user) => user.startsWith('entry ')).map((user) => user.slice('entry '.length));
  const layers = new Set(entries.map((name) => LAYERS[name]));
  if (by.has('program')) layers.add('program');
  // A command that calls a running server must load only the server modules that it needs, and a starting server must
  // load no modules of such commands.
  for (const kind of ['dev', 'finders', 'keys']) if (by.has(kind)) layers.add(kind);
  // `dev` is loaded before its keys.
  if (layers.has('dev')) layers.delete('keys');
  // A server loads its routes once it listens. What it needs before then stands apart from them.
  if (by.has('http') && !layers.has('server')) layers.add('http');
  const commands = [...by].filter(isCommand);
  // What only one group of commands needs is not loaded with the others.
  if (commands.length === 1 && by.size === 1) return commands[0];
  if (commands.length > 0) layers.add('commands');
  if (by.has('mcp') && (layers.has('server') || layers.has('http')) && !layers.has('commands')) layers.add('mcp');
  if (by.has('client-more') && !by.has('commands') && [...layers].every(isOfProgram)) return 'client-more';
  // Modules that both `dev` and a server need are so few that every command may load them.
  if (layers.has('dev') && layers.has('server')) layers.add('commands').add('program');
  // A lazy import outside the command line must load no commands.
  if (!layers.has('server') && layers.size > 0 && [...by].some(isBeside) && [...layers].every(isOfProgram))
    layers.add('lazy');
  // A module that only one runner or thread needs may import it.
  const alone = layers.size === 1 && entries.length === 1;
  if (alone && (layers.has('runner') || layers.has('thread'))) return null;
  // The module of an entry point stays in its file, unless others import it too.
  if (entry !== undefined && entries.length === 1) return null;
  if (layers.size > 0) return [...layers].sort().join('-');
  const kinds = [...by].sort();
  if (kinds.length === 1) return kinds[0].startsWith('only ') ? null : kinds[0];
  return kinds.every((kind) => isCommand(kind) || OF_COMMANDS.has(kind)) ? 'of-commands' : null;
}

/**
 * Removes chunks that only re-export other chunks, and lets their importers import those. Rolldown creates such a chunk
 * for each lazily imported module that shares its chunk with other modules.
 */
function leaveOutDoors(files) {
  const doors = new Map();
  for (const [name, file] of Object.entries(files)) {
    const behind = file.type === 'chunk' && !file.isEntry ? behindDoor(file.code) : null;
    if (behind === null) continue;
    doors.set(`import("./${name}")`, behind);
    delete files[name];
  }
  for (const file of Object.values(files))
    if (file.type === 'chunk')
      file.code = file.code.replace(/import\("\.\/[^"]+"\)/g, (lazy) => doors.get(lazy) ?? lazy);
}

const HANDED_ON = /^export \{ ([^}]+) \} from ("\.\/[^"]+");$/;
const IMPORTED = /^import (?:\{ ([^}]+) \} from )?("\.\/[^"]+");$/;
const EXPORTED = /^export \{ ?([^}]*?) ?\};$/;
const CALLED = /^export default (\w+)\(\);$/;

/** Returns an expression for the promise of what a chunk exports. Returns null if the chunk has code of its own. */
function behindDoor(code) {
  const from = [];
  /** The expression for each exported name. */
  const known = new Map();
  const exported = [];
  const open = (path) => (from.includes(path) ? from.indexOf(path) : from.push(path) - 1);
  for (const line of code.trim().split('\n')) {
    const [, handed, door] = HANDED_ON.exec(line) ?? [];
    const [, imported, path] = IMPORTED.exec(line) ?? [];
    const [, names] = EXPORTED.exec(line) ?? [];
    const [, called] = CALLED.exec(line) ?? [];
    if (door !== undefined) {
      const at = open(door);
      for (const [inner, outer] of namesIn(handed)) exported.push(`${outer}: m[${at}].${inner}`);
    } else if (path !== undefined) {
      const at = open(path);
      for (const [outer, inner] of namesIn(imported ?? '')) known.set(inner, `m[${at}].${outer}`);
    } else if (names !== undefined) {
      for (const [inner, outer] of namesIn(names)) exported.push(`${outer}: ${known.get(inner)}`);
    } else if (called !== undefined) {
      exported.push(`default: ${known.get(called)}()`);
    } else return null;
  }
  if (from.length === 0) return 'Promise.resolve({})';
  return `Promise.all([${from.map((path) => `import(${path})`).join(', ')}]).then((m) => ({ ${exported.join(', ')} }))`;
}

/** Reads `a, b as c` into pairs. */
function namesIn(list) {
  if (list === '') return [];
  return list.split(', ').map((one) => {
    const [inner, outer = inner] = one.split(' as ');
    return [inner, outer];
  });
}
