import {
  BODIES,
  CLOUD_OPERATIONS,
  HELD_SECONDS,
  LOCAL_OPERATIONS,
  type Operation,
  QUERIES,
} from '../../client/connection/operations.ts';
import { asksForWorkspace, PARAMETER } from '../../client/connection/request.ts';
import { flagOf } from '../../config/options.ts';
import { CLIENT_OPTIONS, COMMON_OPTIONS, YES_OPTION } from '../command.ts';
import { type ApiParameter, OPEN_BODIES, OWN_PARAMETERS, PARAMETERS, SUMMARIES } from './operations.ts';

/** An operation of either API, with all that a command line needs of it. */
export interface CalledOperation extends Operation {
  readonly name: string;
  readonly isLocal: boolean;
  readonly summary: string;
  /** The parameters of its query and the fields of its body, by the names of their options. */
  readonly options: ReadonlyMap<string, GivenParameter>;
  readonly ids: readonly PathId[];
  /** `true` if it deletes something, so that the user has to agree. */
  readonly isDeletion: boolean;
  /** `true` if it waits, so that an answer without a result means that time ran out. */
  readonly isWait: boolean;
}

export interface GivenParameter extends ApiParameter {
  readonly name: string;
  readonly place: 'query' | 'body';
}

/** An id of the path: `mailbox` of `/v1/mailboxes/{mailboxId}`. */
export interface PathId {
  readonly name: string;
  /** The segment before it, which tells what it is an id of. */
  readonly of: string;
  /** `false` if the workspace of the key is meant without it. */
  readonly isRequired: boolean;
}

/** The names that options of every command have. A parameter of such a name has its place before it: `--body-url`. */
const TAKEN: ReadonlySet<string> = new Set([
  ...Object.keys({ ...CLIENT_OPTIONS, ...COMMON_OPTIONS, yes: YES_OPTION }).map(flagOf),
  ...['data', 'help', 'version'],
]);

// These tables have a row for each operation, by its name.
const FIELDS: Readonly<Record<string, readonly string[]>> = BODIES;
const KINDS: Readonly<Record<string, object>> = QUERIES;

/** Every operation of both APIs, in the order of docs/api.md. */
export const CALLED_OPERATIONS: readonly CalledOperation[] = [
  ...Object.entries<Operation>(CLOUD_OPERATIONS).map(([name, operation]) => calledOf(name, operation, false)),
  ...Object.entries<Operation>(LOCAL_OPERATIONS).map(([name, operation]) => calledOf(name, operation, true)),
];

function calledOf(name: string, operation: Operation, isLocal: boolean): CalledOperation {
  const placed = (fields: readonly string[], place: GivenParameter['place']) =>
    fields.map((field) => [
      TAKEN.has(flagOf(field)) ? `${place}${field.slice(0, 1).toUpperCase()}${field.slice(1)}` : field,
      { ...(OWN_PARAMETERS[name]?.[field] ?? PARAMETERS[field]), name: field, place },
    ]) as [string, GivenParameter][];
  return {
    ...operation,
    name,
    isLocal,
    summary: SUMMARIES[name] ?? '',
    options: new Map([
      ...placed(Object.keys(KINDS[name] ?? {}), 'query'),
      ...placed(FIELDS[name] ?? OPEN_BODIES[name] ?? [], 'body'),
    ]),
    ids: idsOf(operation),
    isDeletion: operation.method === 'DELETE' || name === 'reset',
    isWait: Object.hasOwn(HELD_SECONDS, name),
  };
}

function idsOf(operation: Operation): PathId[] {
  const { path } = operation;
  const segments = path.split('/');
  const ids = segments.flatMap((segment, at) => {
    const [named] = segment.match(PARAMETER) ?? [];
    const of = segments[at - 1] ?? '';
    if (named === undefined || (of === 'workspaces' && asksForWorkspace(operation))) return [];
    // An operation on a workspace as a whole needs its id.
    return [{ name: named.slice(1, -1), of, isRequired: of !== 'workspaces' || at === segments.length - 1 }];
  });
  return ids.map((id) => ({ ...id, name: id.name === 'id' ? nameOf(id.of) : id.name }));
}

/** Returns what an id is of: `mailbox` for the segment `mailboxes`. */
function nameOf(segment: string): string {
  return segment.replace(/xes$/, 'x').replace(/ies$/, 'y').replace(/s$/, '');
}
