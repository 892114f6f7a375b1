import { writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { harmlessLine } from '../../../src/text/harmless.ts';

const MAX_BYTES = 120;
const TRIES = 1_000;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * Writes an attachment into a directory under a safe form of its name. It never overwrites a file or follows a link. It
 * adds a number until the name is free, and it returns that name.
 */
export async function saveInto(directory: string, name: string, bytes: Uint8Array): Promise<string> {
  const safe = safeName(name);
  for (let number = 1; number <= TRIES; number++) {
    const candidate = number === 1 ? safe : numbered(safe, number);
    try {
      await writeFile(join(directory, candidate), bytes, { flag: 'wx' });
      return candidate;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
  throw new Error(`there are already ${TRIES} files with the name ${safe}`);
}

/** Shortens a directory for display: the home directory becomes `~`. */
export function saidDirectory(directory: string, home: string | undefined): string {
  if (home === undefined || home === '' || home === '/') return directory;
  if (directory === home) return '~';
  return directory.startsWith(home + sep) ? `~${directory.slice(home.length)}` : directory;
}

/** Makes a sender's file name safe: no path, not hidden, and easy to type. */
export function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? '';
  const plain = harmlessLine(last, 200)
    .replace(/[<>:"|?*\u2400-\u2421\ufffd…]/g, '_')
    .replace(/^[.\s~-]+|(?<![.\s])[.\s]+$/g, '');
  const short = shortened(plain);
  if (short === '') return 'attachment';
  return DEVICE.test(short) ? `_${short}` : short;
}

function shortened(name: string): string {
  const [stem, extension] = split(name);
  let kept = '';
  const room = MAX_BYTES - Buffer.byteLength(extension);
  if (room <= 0) return shortened(stem);
  for (const character of stem) {
    if (Buffer.byteLength(kept + character) > room) break;
    kept += character;
  }
  return kept + extension;
}

function numbered(name: string, number: number): string {
  const [stem, extension] = split(name);
  return `${stem} (${number})${extension}`;
}

function split(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name.length - dot > 16 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
}
