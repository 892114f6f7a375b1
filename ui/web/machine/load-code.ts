import { BackendError } from '../../shell/ports.ts';

/**
 * Loads code that the first view does not need.
 * @throws {BackendError} with the code `unreachable` if the server does not give it.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch {
    throw new BackendError('unreachable', 0, 'the server did not give the code of this view: it does not answer.');
  }
}
