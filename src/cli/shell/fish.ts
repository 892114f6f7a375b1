import { quotedInShell } from '../../text/in-shell.ts';
import { type Completed, type CompletedList, families } from './completed.ts';

export function fishScript(commands: readonly Completed[]): string {
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
  ].join('\n');
}

function linesOf(
  { first, second, summary, options, operands, listed, takesPath }: Completed,
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
  return `(mailcap completion ${listed} 2>/dev/null)`;
}
