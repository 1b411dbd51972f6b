import type { Command } from 'commander'

/** The shells that completion is written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly { readonly flag: string; readonly description: string }[]
  /** Words that its first argument may be. */
  readonly words: readonly string[]
}

/** The completion script of a program for a shell, made from its command tree. */
export function writeCompletion(program: Command, shell: Shell): string {
  const shared = optionsOf(program).filter(({ flag }) => flag === '--json' || flag === '--url')
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .map((command): CompletedCommand => ({
      name: command.name(),
      description: command.description(),
      options: [...optionsOf(command), ...shared],
      words: command.name() === 'completion' ? SHELLS : command.commands.map((sub) => sub.name()),
    }))
  const name = program.name()
  if (shell === 'bash') return bashScript(name, commands)
  return shell === 'zsh' ? zshScript(name, commands) : fishScript(name, commands)
}

function optionsOf(command: Command): CompletedCommand['options'] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long === undefined || long === null ? [] : [{ flag: long, description }]))
}

function bashScript(name: string, commands: readonly CompletedCommand[]): string {
  const cases = commands.map(
    ({ name: command, options, words }) =>
      `    ${command}) words="${[...words, ...options.map(({ flag }) => flag)].join(' ')}" ;;`,
  )
  return `# ${name} completion for bash: source <(${name} completion bash)
_${name}_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="${commands.map(({ name: command }) => command).join(' ')} --help --json --url --version" ;;
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n "$command" && "$current" != -* ]]; then
    local IFS=$'\\n' # a name of a file may hold spaces
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _${name}_complete ${name}
`
}

function zshScript(name: string, commands: readonly CompletedCommand[]): string {
  const list = commands.map(
    ({ name: command, description }) => `    ${quote(`${command}:${escapeColons(description)}`)}`,
  )
  const cases = commands.map(({ name: command, options, words }) => {
    const described = options.map(({ flag, description }) => quote(`${flag}:${escapeColons(description)}`))
    const extra = words.length === 0 ? '_files' : `compadd ${words.join(' ')}`
    return `    ${command}) local -a flags=(${described.join(' ')}); _describe option flags; ${extra} ;;`
  })
  return `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
_${name}() {
  local -a commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _${name} ${name}
`
}

function fishScript(name: string, commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name: command, description, options, words }) => [
    `complete -c ${name} -n __fish_use_subcommand -f -a ${command} -d ${quote(description)}`,
    ...options.map(
      ({ flag, description: text }) =>
        `complete -c ${name} -n '__fish_seen_subcommand_from ${command}' -l ${flag.slice(2)} -d ${quote(text)}`,
    ),
    ...words.map((word) => `complete -c ${name} -n '__fish_seen_subcommand_from ${command}' -f -a ${word}`),
  ])
  return [`# ${name} completion for fish: ${name} completion fish | source`, ...lines, ''].join('\n')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function escapeColons(text: string): string {
  return text.replaceAll(':', '\\:')
}
