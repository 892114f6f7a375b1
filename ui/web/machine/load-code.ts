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

let loading: Promise<void> | null = null;

/** Loads the styles of the views that are not the list. The page names their file. A failed load is tried again. */
export function loadViewsStyle(): Promise<void> {
  loading ??= new Promise<void>((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.href = document.documentElement.dataset['views'] ?? '';
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      loading = null;
      reject(new Error('the styles were not loaded'));
    };
    document.head.append(link);
  });
  return loading;
}
