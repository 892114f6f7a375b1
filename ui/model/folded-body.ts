/** The number of lines from which base64 data is folded. */
const LONG_RUN = 12;

/** A piece of a body. A folded piece stands for lines that are shown when the reader asks for them. */
export interface BodyPiece {
  readonly text: string;
  readonly folded: boolean;
}

/** Splits the body of a mail's source so that long base64 data can be folded. */
export function foldedBody(body: string): readonly BodyPiece[] {
  const pieces: BodyPiece[] = [];
  let run: string[] = [];
  let plain: string[] = [];
  const flush = () => {
    if (run.length >= LONG_RUN) {
      if (plain.length > 0) pieces.push({ text: `${plain.join('\n')}\n`, folded: false });
      plain = [];
      pieces.push({ text: `… ${run.length} lines of base64: show`, folded: true }, { text: '\n', folded: false });
    } else plain.push(...run);
    run = [];
  };
  for (const line of body.split('\n')) {
    const isBase64 = /^[A-Za-z0-9+/]{56,}={0,2}$/.test(line);
    if (isBase64) run.push(line);
    // Padding ends base64. A line of quoted-printable may end with `=` and be followed by another one.
    if (!isBase64 || line.endsWith('=')) flush();
    if (!isBase64) plain.push(line);
  }
  flush();
  if (plain.length > 0) pieces.push({ text: plain.join('\n'), folded: false });
  return pieces;
}
