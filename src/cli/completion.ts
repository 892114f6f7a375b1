import { MailcapError } from '../client/errors.ts';
import { flagOf } from '../config/options.ts';
import { ConfigError, UserError } from '../config/user-error.ts';
import { quotedInShell } from '../text/in-shell.ts';
import { grouped } from '../text/maps.ts';
import { type Arguments, type Command, type Commands, optionsOf } from './command.ts';
import { connect } from './connect.ts';
import { EVERY_WORD } from './mail/search-words.ts';
import { print } from './output.ts';

const SCRIPTS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** The time to wait for the server's names, in milliseconds. */
const PATIENCE_MS = 2_000;
/** The options and operands whose values the running server knows, by their names. */
const LISTED: Readonly<Record<string, CompletedList>> = {
  mailbox: 'mailboxes',
  mailboxId: 'mailboxes',
  mailboxes: 'mailboxes',
  webhook: 'webhooks',
  'webhook-id': 'webhooks',
  'webhook-or-request': 'webhooks',
};

const OPERANDS: Readonly<Record<string, readonly string[]>> = {
  shell: ['bash', 'zsh', 'fish'],
  words: EVERY_WORD,
  'id-or-words': EVERY_WORD,
};

/**
 * Runs `mailcap completion <shell>`: prints a script built from the command table. The script calls mailcap only for
 * names of mailboxes and webhooks.
 */
export async function completion(args: Arguments, all: Commands): Promise<number> {
  const shell = args.operand() ?? '';
  if (shell === 'mailboxes' || shell === 'webhooks') return printNames(args, shell);
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new ConfigError(`${shell}: no completion for this shell; there are bash, zsh and fish.`);
  print(script(Object.entries(await wholeTable(all)).map(completed)));
  return 0;
}

/** Prints names for the completion scripts, which ask at each Tab. It prints nothing if no server runs. */
async function printNames(args: Arguments, listed: CompletedList): Promise<number> {
  try {
    const client = await connect(args, PATIENCE_MS);
    const names =
      listed === 'mailboxes'
        ? (await client.listMailboxes()).map(({ subdomain }) => subdomain)
        : (await client.listWebhooks()).map(({ name, id }) => name ?? id);
    // A name that would need quotes in the shell is not offered.
    for (const name of names) if (/^[\w.@%+-]+$/.test(name)) print(name);
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof MailcapError)) throw error;
  }
  return 0;
}

/** Returns the table with the commands that its groups have, such as the operations of `api`, as two words each. */
async function wholeTable(all: Commands): Promise<Commands> {
  const rows = await Promise.all(
    Object.entries(all).map(async ([name, command]) => {
      const each = await command.each?.();
      if (each === undefined) return [[name, command] as const];
      return Object.entries(each).map(([word, one]) => [`${name} ${word}`, one] as const);
    }),
  );
  return Object.fromEntries(rows.flat());
}

/** Returns the parts of a command that a shell can complete. */
function completed([name, command]: [string, Command]) {
  // `messages wait` has two words. Many commands have only one.
  const [first = name, second = null] = name.split(' ');
  const options = Object.entries(optionsOf(command)).map(([option, { type, help }]) => ({
    flag: `--${flagOf(option)}`,
    help: help ?? '',
    choices: typeof type === 'object' ? type.oneOf : [],
    takesValue: type !== 'boolean',
    listed: LISTED[option] ?? null,
  }));
  const takesPath = name === 'import' || name === 'export';
  const operand = command.operands?.[0]?.name ?? '';
  const [operands, listed] = [OPERANDS[operand] ?? [], LISTED[operand] ?? null];
  return { name, first, second, summary: command.summary, options, operands, listed, takesPath };
}

type CompletedCommand = ReturnType<typeof completed>;

/** A list of names that only the running server has. `mailcap completion mailboxes` prints them, one on a line. */
type CompletedList = 'mailboxes' | 'webhooks';

/** A function of bash and zsh that prints names. In a project, mailcap may be there for npx alone. */
const SH_NAMES = `_mailcap_names() {
  if command -v mailcap >/dev/null 2>&1; then mailcap completion "$1"; else npx --no-install mailcap completion "$1"; fi 2>/dev/null
}`;

/** Groups the commands by their first word, in order. */
function families(commands: readonly CompletedCommand[]): ReadonlyMap<string, readonly CompletedCommand[]> {
  return grouped(commands, ({ first }) => first);
}

/** Returns the shell command that prints the names. It prints nothing if no server runs. */
function namesOf(listed: CompletedList): string {
  return `$(_mailcap_names ${listed})`;
}

function bashScript(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, operands, listed }) => {
    const names = listed === null ? [] : [namesOf(listed)];
    const words = [...options.map(({ flag }) => flag), ...operands, ...names, '--help'];
    return `    ${JSON.stringify(name)}) words="${words.join(' ')}" ;;`;
  });
  const groups = [...families(commands)].flatMap(([first, family]) => {
    const seconds = family.flatMap(({ second }) => (second === null ? [] : [second]));
    return seconds.length === 0 ? [] : [`    ${first}) words="${seconds.join(' ')}" ;;`];
  });
  const choices = [
    ...new Set(
      commands.flatMap(({ name, options }) =>
        options.flatMap(({ flag, choices, listed }) => {
          const all = listed === null ? choices : [namesOf(listed)];
          return all.length === 0 ? [] : [`    "${name} ${flag}") words="${all.join(' ')}" ;;`];
        }),
      ),
    ),
  ];
  return `# bash completion of mailcap. To install it: mailcap completion bash >> ~/.bashrc
${SH_NAMES}
_mailcap() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  local first="\${COMP_WORDS[1]}" second="\${COMP_WORDS[2]}" name
  # bash ends a word at a colon: what stands before it belongs to the word, and is not typed again.
  local colon=""
  if [ "$current" = ":" ]; then colon="$previous:"; current="$colon"
  elif [ "$previous" = ":" ]; then colon="\${COMP_WORDS[COMP_CWORD-2]}:"; current="$colon$current"
  fi
  name="$first"
  case "$first" in
    ${[...families(commands)]
      .filter(([, [one]]) => one?.second !== null)
      .map(([first]) => first)
      .join('|')}) name="$first $second" ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...families(commands).keys()].join(' ')} --help --version" -- "$current"))
    return
  fi
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "$first" in
${groups.join('\n')}
    esac
    if [ -n "$words" ]; then
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      return
    fi
  fi
  case "$name $previous" in
${choices.join('\n')}
  esac
  if [ -z "$words" ]; then
    case "$name" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  COMPREPLY=("\${COMPREPLY[@]#"$colon"}")
}
complete -o default -F _mailcap mailcap
# npx mailcap <Tab>: the words behind npx are those of mailcap. Other programs keep the completion that npx had.
_mailcap_npx() {
  if [ "$COMP_CWORD" -ge 2 ] && [ "\${COMP_WORDS[1]}" = mailcap ]; then
    COMP_WORDS=("\${COMP_WORDS[@]:1}"); COMP_CWORD=$((COMP_CWORD - 1)); _mailcap
  elif [ -n "$_mailcap_npx_before" ]; then "$_mailcap_npx_before" "$@"
  fi
}
case "$(complete -p npx 2>/dev/null)" in
  *" -F _mailcap_npx "*) ;;
  *) _mailcap_npx_before="$(complete -p npx 2>/dev/null | sed -n 's/.* -F \\([^ ]*\\) .*/\\1/p')" ;;
esac
complete -o default -F _mailcap_npx npx`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  const groups = [...families(commands)];
  const firsts = groups.map(([first, family]) =>
    described(first, family.length > 1 ? summaryOf(family) : (family[0]?.summary ?? '')),
  );
  const cases = groups.flatMap(([first, family]) => {
    const [only] = family;
    if (only?.second === null) return [`    ${first})`, ...argumentsOf(only, '      '), '      ;;'];
    return [
      `    ${first})`,
      '      if (( CURRENT == 2 )); then',
      `        _values command ${family.map(({ second, summary }) => quotedInShell(`${second}[${escaped(summary)}]`)).join(' ')}`,
      '        return',
      '      fi',
      '      shift words; (( CURRENT-- ))',
      '      case $words[1] in',
      ...family.flatMap((command) => [
        `        ${command.second})`,
        ...argumentsOf(command, '          '),
        '          ;;',
      ]),
      '      esac',
      '      ;;',
    ];
  });
  return `#compdef mailcap npx
# zsh completion of mailcap. To install it: mailcap completion zsh > ~/.zfunc/_mailcap
${SH_NAMES}
_mailcap_mailboxes() { compadd -- \${(f)"$(_mailcap_names mailboxes)"} }
_mailcap_webhooks() { compadd -- \${(f)"$(_mailcap_names webhooks)"} }
_mailcap() {
  # npx mailcap <Tab>: the words behind npx are those of mailcap. Other programs keep the completion of npx.
  if [[ $words[1] = npx ]]; then
    if (( CURRENT > 2 )) && [[ $words[2] = mailcap ]]; then shift words; (( CURRENT-- ))
    elif (( $+functions[_npx] )); then _npx "$@"; return
    else _files; return
    fi
  fi
  if (( CURRENT == 2 )); then
    local -a commands
    commands=(
${firsts.map((line) => `      ${line}`).join('\n')}
    )
    _describe command commands
    return
  fi
  shift words; (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _mailcap ]; then _mailcap "$@"; else compdef _mailcap mailcap npx; fi`;
}

function summaryOf(family: readonly CompletedCommand[]): string {
  return family.map(({ second }) => second).join(', ');
}

function argumentsOf({ options, operands, listed, takesPath }: CompletedCommand, indent: string): string[] {
  const specs = options.map(({ flag, help, choices, takesValue, listed: names }) => {
    const value =
      names !== null
        ? `:value:_mailcap_${names}`
        : choices.length > 0
          ? `:value:(${choices.join(' ')})`
          : takesValue
            ? ':value:'
            : '';
    return quotedInShell(`${flag}[${escaped(help)}]${value}`);
  });
  const rest =
    listed !== null
      ? [`':${listed}:_mailcap_${listed}'`]
      : takesPath
        ? [`'*:file:_files'`]
        : operands.length > 0
          ? [quotedInShell(`*:operand:(${operands.map((one) => one.replaceAll(':', '\\:')).join(' ')})`)]
          : [];
  return [`${indent}_arguments ${[...specs, `'--help[Show the help]'`, ...rest].join(' ')}`];
}

function described(name: string, summary: string): string {
  return quotedInShell(`${name}:${summary.replaceAll(':', '\\:')}`);
}

function escaped(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&');
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = [...families(commands)].flatMap(([first, family]) => {
    const [only] = family;
    const isAlone = only?.second === null;
    const summary = isAlone ? only.summary : family.map(({ second }) => second).join(', ');
    const names = family.flatMap(({ second }) => (second === null ? [] : [second]));
    return [
      `complete -c mailcap -n __fish_use_subcommand -f -a ${first} -d ${quotedInShell(summary)}`,
      ...family.flatMap((command) => linesOf(command, names)),
    ];
  });
  return [
    '# fish completion of mailcap. To install it: mailcap completion fish > ~/.config/fish/completions/mailcap.fish',
    'complete -c mailcap -f',
    ...lines,
    'complete -c mailcap -l help -s h -d "Show the help"',
    'complete -c mailcap -n __fish_use_subcommand -l version -s v -d "Print the version"',
    '# npx mailcap <Tab>: the words behind npx are those of mailcap.',
    `complete -c npx -n 'set -l words (commandline -opc); test (count $words) -ge 2; and test $words[2] = mailcap' -f -a '(complete -C (commandline -cp | string replace -r "^\\s*npx\\s+" ""))'`,
  ].join('\n');
}

function linesOf(
  { first, second, summary, options, operands, listed, takesPath }: CompletedCommand,
  names: readonly string[],
): string[] {
  const ofFirst = `__fish_seen_subcommand_from ${first}`;
  const condition = second === null ? ofFirst : `${ofFirst}; and __fish_seen_subcommand_from ${second}`;
  const when = `complete -c mailcap -n ${quotedInShell(condition)}`;
  const before = `${ofFirst}; and not __fish_seen_subcommand_from ${names.join(' ')}`;
  return [
    ...(second === null
      ? []
      : [`complete -c mailcap -n ${quotedInShell(before)} -f -a ${second} -d ${quotedInShell(summary)}`]),
    ...(takesPath ? [`${when} -F`] : []),
    ...(operands.length > 0 ? [`${when} -f -a ${quotedInShell(operands.join(' '))}`] : []),
    ...(listed === null ? [] : [`${when} -f -a ${quotedInShell(inFish(listed))}`]),
    ...options.map(({ flag, help, choices, takesValue, listed: names }) => {
      const value =
        names !== null
          ? ` -x -a ${quotedInShell(inFish(names))}`
          : choices.length > 0
            ? ` -x -a ${quotedInShell(choices.join(' '))}`
            : takesValue
              ? ' -r'
              : '';
      return `${when} -l ${flag.slice(2)}${value} -d ${quotedInShell(help)}`;
    }),
  ];
}

function inFish(listed: CompletedList): string {
  return `(if type -q mailcap; mailcap completion ${listed}; else; npx --no-install mailcap completion ${listed}; end 2>/dev/null)`;
}
