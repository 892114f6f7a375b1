export type { Ready } from '../runtime.ts';
export { findServer } from './find-server.ts';
