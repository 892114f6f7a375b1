import type { Reader } from '../../../ports/store.ts';
import type { State } from '../state.ts';
import type { Write, Writes } from './aggregate.ts';

export function readSettings(state: State): Reader['settings'] {
  return { clockOffsetMs: async () => state.settings.get('clockOffsetMs')?.value ?? 0 };
}

export function writeSettings(write: Write): Writes<'settings'> {
  return { setClockOffsetMs: async (value) => write(['put', 'settings', { id: 'clockOffsetMs', value }]) };
}
