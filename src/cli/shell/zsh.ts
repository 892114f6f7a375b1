import { quotedInShell } from '../../text/in-shell.ts';
import { type Completed, families } from './completed.ts';

export function zshScript(commands: readonly Completed[]): string {
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
  return `#compdef mailcap
# zsh completion of mailcap. To install it: mailcap completion zsh > ~/.zfunc/_mailcap
_mailcap_mailboxes() { compadd -- \${(f)"$(mailcap completion mailboxes 2>/dev/null)"} }
_mailcap_webhooks() { compadd -- \${(f)"$(mailcap completion webhooks 2>/dev/null)"} }
_mailcap() {
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
if [ "$funcstack[1]" = _mailcap ]; then _mailcap "$@"; else compdef _mailcap mailcap; fi`;
}

function summaryOf(family: readonly Completed[]): string {
  return family.map(({ second }) => second).join(', ');
}

function argumentsOf({ options, operands, listed, takesPath }: Completed, indent: string): string[] {
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
