import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';

/** A folder of `src`, or the name of a file directly below it, without `.ts`. */
type Place = string;

/** The imports that a place may have: other places, and packages. Every place needs a row. */
export interface Arrows {
  readonly places: readonly Place[];
  /** Places from which only types may be imported. */
  readonly types?: readonly Place[];
  readonly packages?: readonly string[];
  /** Packages from which only types may be imported. */
  readonly typePackages?: readonly string[];
}

/** Places within another place, whose arrows are fewer. */
const NESTED = ['ui/web/app'];
const TYPES_FOR_ALL = ['context', 'runtime'];

/** Sources by their path from the root. */
export type Sources = ReadonlyMap<string, string>;

export function arrowViolations(files: Sources, table: Readonly<Record<Place, Arrows>>): string[] {
  return [...files].flatMap(([path, text]) => {
    const from = placeOf(path);
    const arrows = table[from];
    if (arrows === undefined) return [`${path}: ${from} has no row in the table`];
    return importsOf(text).flatMap(({ target, typeOnly }) => {
      if (target.startsWith('node:')) return [];
      if (!target.startsWith('.')) {
        const name = packageOf(target);
        const allowed = arrows.packages?.includes(name) || (typeOnly && arrows.typePackages?.includes(name));
        return allowed ? [] : [`${path} imports the package ${target}`];
      }
      const to = placeOf(normalize(join(dirname(path), target)));
      const allowed =
        to === from ||
        arrows.places.includes(to) ||
        (typeOnly && (TYPES_FOR_ALL.includes(to) || (arrows.types?.includes(to) ?? false)));
      return allowed ? [] : [`${path} imports ${target}: ${from} -> ${to}`];
    });
  });
}

/** Returns uses of forbidden globals. `unless` lists the places, or the single files, that may use them. */
export function globalViolations(
  files: ReadonlyMap<string, string>,
  forbidden: readonly { readonly use: RegExp; readonly unless: readonly (Place | string)[] }[],
): string[] {
  return [...files].flatMap(([path, text]) =>
    forbidden
      .filter(({ unless }) => !unless.includes(placeOf(path)) && !unless.includes(path))
      .flatMap(
        ({ use }) =>
          withoutComments(text)
            .match(use)
            ?.map((found) => `${path} uses ${found}`) ?? [],
      ),
  );
}

/** Returns every source file below a directory by its path from `root`. */
export function sourceFiles(root: string, directory: string): Map<string, string> {
  const entries = readdirSync(join(root, directory), { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && /\.(ts|tsx|js)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.includes('node_modules'))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')]),
  );
}

/** The places that a place imports from. */
export interface Imported {
  readonly values: readonly Place[];
  /** Those of which it imports types alone, without {@link TYPES_FOR_ALL}. */
  readonly types: readonly Place[];
}

/** Returns what the places import from each other, by their paths: `src/domain`, `src/mailcap.ts`. */
export function importedPlaces(files: Sources): Map<string, Imported> {
  const graphs = [importGraph(files, 'values'), importGraph(files)];
  const [values = new Map(), all = new Map()] = graphs.map((graph) => {
    const byPlace = new Map<string, Set<Place>>();
    for (const [path, targets] of graph) {
      const place = placePathOf(path);
      const to = byPlace.get(place) ?? new Set();
      for (const target of targets) if (placeOf(target) !== placeOf(path)) to.add(placeOf(target));
      byPlace.set(place, to);
    }
    return byPlace;
  });
  return new Map(
    [...all].map(([place, targets]): [string, Imported] => {
      const imported = values.get(place) ?? new Set();
      const types = [...targets].filter((target) => !imported.has(target) && !TYPES_FOR_ALL.includes(target));
      return [place, { values: [...imported].sort(), types: types.sort() }];
    }),
  );
}

/** Returns the import cycles among files, including type imports. Each cycle is a sorted list of files. */
export function importCircles(files: Sources): string[][] {
  return circlesOf(importGraph(files));
}

/** Returns the files that each file imports. `values` leaves out imports of types alone. */
export function importGraph(files: Sources, values?: 'values'): Map<string, readonly string[]> {
  return new Map(
    [...files].map(([path, text]) => {
      const found = importsOf(text).flatMap(({ target, typeOnly }) => {
        if (!target.startsWith('.') || (typeOnly && values === 'values')) return [];
        const whole = normalize(join(dirname(path), target));
        return [whole, whole.replace(/\.js$/, '.ts'), whole.replace(/\.js$/, '.tsx')].filter((one) => files.has(one));
      });
      return [path, [...new Set(found)]];
    }),
  );
}

/**
 * Returns the strongly connected components by Tarjan's algorithm that have several files or a file that imports
 * itself.
 */
function circlesOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    lowest.set(path, order.size - 1);
    stack.push(path);
    for (const next of targets.get(path) ?? []) {
      if (!order.has(next)) visit(next);
      else if (!stack.includes(next)) continue;
      lowest.set(path, Math.min(lowest.get(path) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(path) !== order.get(path)) return;
    const members = stack.splice(stack.indexOf(path)).sort();
    if (members.length > 1 || targets.get(path)?.includes(path)) circles.push(members);
  };
  for (const path of targets.keys()) if (!order.has(path)) visit(path);
  return circles;
}

/** Returns the names that a file imports as values from another one. */
export function namedImports(from: string, text: string, to: string): string[] {
  return [...withoutComments(text).matchAll(/^\s*import\s+\{([^}]*)\}\s+from\s+['"](\.[^'"]+)['"]/gm)]
    .filter(([, , target = '']) => normalize(join(dirname(from), target)) === to)
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim()))
    .filter((name) => name !== '' && !name.startsWith('type '));
}

interface Import {
  readonly target: string;
  readonly typeOnly: boolean;
}

function importsOf(text: string): Import[] {
  const source = withoutComments(text);
  const froms = [...source.matchAll(/^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?['"]([^'"]+)['"]/gm)];
  const calls = [
    ...source.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
    ...source.matchAll(/new URL\(\s*['"](\.[^'"]+)['"]/g),
  ];
  return [
    ...froms.map(([, type, target = '']) => ({ target, typeOnly: type !== undefined })),
    ...calls.map(([, target = '']) => ({ target, typeOnly: false })),
  ];
}

/**
 * Returns the place of a file. For example, `src/http/v1.ts` is in `http`, `src/mailcap.ts` is `mailcap`, and
 * `ui/model/keys.ts` is in `model`. A folder of {@link NESTED} is a place within another one.
 */
export function placeOf(path: string): Place {
  return basename(placePathOf(path), '.ts');
}

/** Returns the place of a file by its path, such as `src/http` or `src/mailcap.ts`. */
function placePathOf(path: string): string {
  const parts = path.split(/[/\\]/);
  return NESTED.find((place) => `${parts.join('/')}/`.startsWith(`${place}/`)) ?? parts.slice(0, 2).join('/');
}

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
