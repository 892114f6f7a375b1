import type { FileFacts } from '../../../src/ports/storage.ts';
import { type Content, EMPTY } from './content.ts';

export const BLOCK_BYTES = 4_096;

export interface Inode {
  readonly number: number;
  readonly kind: 'file' | 'directory';
  content: Content;
  modifiedAt: number;
}

export function newInode(number: number, kind: Inode['kind'], modifiedAt: number): Inode {
  return { number, kind, content: EMPTY, modifiedAt };
}

export function factsOf({ number, kind, content, modifiedAt }: Inode): FileFacts {
  return { kind, size: content.cache.length, identity: `simulated.${number}`, modifiedAt };
}

export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES);
}

export function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

export function failure(code: string, call: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${call} '${path}'`), { code, syscall: call, path });
}
