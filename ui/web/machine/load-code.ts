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
