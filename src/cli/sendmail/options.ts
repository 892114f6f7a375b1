// The command line of sendmail, as its callers write it: single letters, a value with or without a space before it, anywhere.

export interface SendmailOptions {
  /** `-t`: recipients from To, Cc and Bcc too. */
  readonly readsRecipients: boolean;
  /** `-i`, `-oi`: a line of one dot does not end the message. */
  readonly ignoresDots: boolean;
  /** `-bs`: the caller speaks SMTP. */
  readonly speaksSmtp: boolean;
  /** `-f`, `-r`: the envelope's sender. `<>` is the empty text. */
  readonly sender: string | null;
  /** `-F`: the sender's full name. */
  readonly fullName: string | null;
  readonly recipients: readonly string[];
  /** `--data-dir`, which is ours: that of the server that is meant. */
  readonly dataDir: string | null;
}

/** What was typed wrongly, in one sentence. */
export interface Misuse {
  readonly misuse: string;
}

/** Their value is a further word, or what follows the letter. */
const WITH_VALUE = new Set(['B', 'C', 'D', 'F', 'L', 'N', 'O', 'R', 'V', 'X', 'f', 'h', 'p', 'r']);
/** What follows the letter belongs to it; nothing need follow. */
const WITH_REST = new Set(['o', 'd', 'q', 'M', 'b']);
/** Delivery status, verbosity, queueing, users' own: nothing here depends on them. */
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
    // Letters without a value may share a word: -ti.
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
        return { misuse: `-${letter} is no option of sendmail that is known here.` };
    }
  }
  if (mode !== 'm' && mode !== 's' && mode !== '')
    return { misuse: `-b${mode} is not done here: mail is sent (-bm) or spoken (-bs).` };
  return { readsRecipients, ignoresDots, speaksSmtp: mode === 's', sender, fullName, recipients, dataDir };
}
