// This module turns a text from a mail into the name of a file. The sender chose the text, and programs on the reader's
// machine act on names: a shell expands them, and a build tool runs the ones that it knows.
import { harmlessText } from './harmless.ts';
import { isReadByTools } from './tool-names.ts';

/** The longest name in bytes. File systems allow 255 bytes, and a number or an extension may be added. */
const MAX_BYTES = 200;
/** The part of a much longer text that is read: its end, because a file's extension is there. */
const MAX_CHARACTERS = 2_000;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?: |\.|$)/i;

/**
 * Makes the name of an attachment safe: it leads to no other directory, is not hidden, is no option of a command, and
 * no tool runs or reads a file of this name by itself. Returns `attachment` if nothing is left of it.
 */
export function attachmentFileName(name: string): string {
  return safeFileName(name.slice(-MAX_CHARACTERS).split(/[/\\]/).at(-1) ?? '', 'attachment');
}

/** Turns a text into a safe file name. Returns `otherwise` if nothing is left of the text. */
export function safeFileName(text: string, otherwise: string): string {
  const plain = harmlessText(text.slice(-MAX_CHARACTERS))
    .replace(/\s+/g, ' ')
    .replace(/[<>:"/\\|?*\u2400-\u2421\ufffd…]/g, '_')
    .replace(/^[.\s~-]+|(?<![.\s])[.\s]+$/g, '');
  const short = shortened(plain).replace(/(?<![.\s])[.\s]+$/, '');
  if (short === '') return otherwise;
  if (isReadByTools(short)) return `${short}.txt`;
  return DEVICE.test(short) ? `_${short}` : short;
}

/** Adds a number to a name, before its extension: `report (2).pdf`. */
export function numberedFileName(name: string, number: number): string {
  const [stem, extension] = split(name);
  return `${stem} (${number})${extension}`;
}

/** Cuts a name between two characters, so that it takes at most MAX_BYTES bytes with its extension. */
function shortened(name: string): string {
  const [stem, extension] = split(name);
  let room = MAX_BYTES - bytesOf(extension);
  let kept = '';
  for (const character of stem) {
    room -= bytesOf(character);
    if (room < 0) break;
    kept += character;
  }
  return kept + extension;
}

function split(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  return dot <= 0 || name.length - dot > 16 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
