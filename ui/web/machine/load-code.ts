import { BackendError } from '../app/ports.ts';

/**
 * Loads code that the first view does not need.
 * @throws {BackendError} with the code `unreachable` if the code can't be loaded.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new BackendError('unreachable', 0, 'the code of this view could not be loaded: the server does not answer.');
  }
}

const loading = new Map<string, Promise<void>>();

/**
 * Loads a style sheet that the first view does not need: of the views that are not the list, or for forced colours. The
 * page names their files. A failed load is tried again.
 */
export function loadStyle(name: 'views' | 'forced'): Promise<void> {
  const before = loading.get(name);
  if (before !== undefined) return before;
  const call = new Promise<void>((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = document.documentElement.dataset[name] ?? '';
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading.delete(name);
      reject(new Error('the styles were not loaded'));
    };
    document.head.append(link);
  });
  loading.set(name, call);
  return call;
}

/** Loads the styles for forced colours where they apply, now or later. */
export function followForcedColours(): void {
  const forced = matchMedia('(forced-colors: active)');
  const load = () => {
    if (forced.matches) loadStyle('forced').catch(() => {});
  };
  forced.addEventListener('change', load);
  load();
}
