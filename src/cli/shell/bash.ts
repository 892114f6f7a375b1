import { type Completed, families, namesOf } from './completed.ts';

export function bashScript(commands: readonly Completed[]): string {
  const cases = commands.map(({ first, second, options, operands, listed }) => {
    const names = listed === null ? [] : [namesOf(listed)];
    const words = [...options.map(({ flag }) => flag), ...operands, ...names, '--help'];
    return `    ${JSON.stringify(second === null ? first : `${first} ${second}`)}) words="${words.join(' ')}" ;;`;
  });
  const groups = [...families(commands)].flatMap(([first, family]) => {
    const seconds = family.flatMap(({ second }) => (second === null ? [] : [second]));
    return seconds.length === 0 ? [] : [`    ${first}) words="${seconds.join(' ')}" ;;`];
  });
  const choices = [
    ...new Set(
      commands.flatMap(({ first, second, options }) =>
        options.flatMap(({ flag, choices, listed }) => {
          const all = listed === null ? choices : [namesOf(listed)];
          return all.length === 0
            ? []
            : [`    "${second === null ? first : `${first} ${second}`} ${flag}") words="${all.join(' ')}" ;;`];
        }),
      ),
    ),
  ];
  return `# bash completion of mailcap. To install it: mailcap completion bash >> ~/.bashrc
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
complete -o default -F _mailcap mailcap`;
}
