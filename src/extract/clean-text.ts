/** Invisible characters: soft hyphens, zero-width characters, and marks that change the text direction. */
const UNSEEN = /(?:\u034F|[\u00AD\u061C\u115F\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]|\uFE0F)+/g;

/** Removes invisible characters and converts Arabic and full-width digits to ASCII. */
export function cleanText(text: string): string {
  return text.replace(UNSEEN, '').replace(/[٠-٩۰-۹０-９]/g, (digit) => String(digitOf(digit.charCodeAt(0))));
}

const ZEROS = [0x0660, 0x06f0, 0xff10];

function digitOf(code: number): number {
  for (const zero of ZEROS) if (code >= zero && code <= zero + 9) return code - zero;
  return 0;
}
