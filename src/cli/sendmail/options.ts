// This module parses the command line of sendmail: single letters anywhere, a value with or without a space before it.

export interface SendmailOptions {
  /** `-t`: takes the recipients from the To, Cc and Bcc fields too. */
  readonly readsRecipients: boolean;
  /** `-i`, `-oi`: a line with a single dot does not end the message. */
  readonly ignoresDots: boolean;
  /** `-bs`: the caller speaks SMTP on standard input and output. */
  readonly speaksSmtp: boolean;
  /** `-f`, `-r`: the envelope sender. `<>` is stored as an empty text. */
  readonly sender: string | null;
  /** `-F`: the sender's full name. */
  readonly fullName: string | null;
  readonly recipients: readonly string[];
  /** `--data-dir`, an option of our own: the data directory of the server. */
  readonly dataDir: string | null;
}

/** The sentence that explains an invalid command line. */
export interface Misuse {
  readonly misuse: string;
}

/** The letters whose value is the rest of the word, or the next word. */
const WITH_VALUE = new Set(['B', 'C', 'D', 'F', 'L', 'N', 'O', 'R', 'V', 'X', 'f', 'h', 'p', 'r']);
/** The letters that take the rest of the word, which may be empty. */
const WITH_REST = new Set(['o', 'd', 'q', 'M', 'b']);
/** The letters without a value. They set the delivery status, verbosity and queueing, and are ignored. */
const WITHOUT_VALUE = new Set(['A', 'G', 'I', 'U', 'c', 'e', 'm', 'n', 's', 'v', 'w', 'x']);

export function readOptions(args: readonly string[]): SendmailOptions | Misuse {
  let readsRecipients = false;
  let ignoresDots = false;
  let mode = 'm';
  let sender: string | null = null;
  let fullName: string | null = null;
  let dataDir: string | null = null;
  const recipients: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      recipients.push(...args.slice(at + 1));
      break;
    }
    const long = /^--data-dir(?:=(.*))?$/s.exec(arg);
    if (long !== null) {
      const value = long[1] ?? args[++at];
      if (!value) return { misuse: '--data-dir needs a value.' };
      dataDir = value;
      continue;
    }
    if (!arg.startsWith('-') || arg === '-') {
      recipients.push(arg);
      continue;
    }
    // Letters without a value may share a word, as in -ti.
    for (let letters = arg.slice(1); letters !== ''; ) {
      const letter = letters[0] ?? '';
      letters = letters.slice(1);
      if (letter === 't') readsRecipients = true;
      else if (letter === 'i') ignoresDots = true;
      else if (WITH_REST.has(letter)) {
        if (letter === 'o' && letters.startsWith('i')) ignoresDots = true;
        if (letter === 'b') mode = letters;
        letters = '';
      } else if (WITH_VALUE.has(letter)) {
        const value = letters === '' ? args[++at] : letters;
        if (value === undefined) return { misuse: `-${letter} needs a value.` };
        if (letter === 'f' || letter === 'r') sender = value.trim();
        if (letter === 'F') fullName = value;
        letters = '';
      } else if (!WITHOUT_VALUE.has(letter))
        return {
          misuse: `${letter === '-' ? arg : `-${letter}`}: no such option; mailcap sendmail --help lists the options.`,
        };
    }
  }
  if (mode !== 'm' && mode !== 's' && mode !== '')
    return { misuse: `-b${mode} is not supported: use -bm to send a mail, or -bs to speak SMTP.` };
  return { readsRecipients, ignoresDots, speaksSmtp: mode === 's', sender, fullName, recipients, dataDir };
}
