import { InvalidArgumentError, type Command } from 'commander'

/** The shells that completion is written for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

interface CompletedCommand {
  readonly name: string
  readonly description: string
  readonly options: readonly { readonly flag: string; readonly description: string }[]
  /** Words that its first argument may be. */
  readonly words: readonly string[]
  /** Its own commands. */
  readonly commands: readonly Pick<CompletedCommand, 'name' | 'options'>[]
}

/** The completion script of a program for a shell, made from its command tree; it completes `npx <program>` too. */
export function writeCompletion(program: Command, shell: Shell): string {
  const shared = optionsOf(program).filter(({ flag }) => flag === '--json' || flag === '--url')
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .map((command): CompletedCommand => ({
      name: command.name(),
      description: command.description(),
      options: [...optionsOf(command), ...shared],
      words: wordsOf(program, command),
      commands: command.commands.map((sub) => ({ name: sub.name(), options: [...optionsOf(sub), ...shared] })),
    }))
  const name = program.name()
  if (shell === 'bash') return bashScript(name, commands)
  return shell === 'zsh' ? zshScript(name, commands) : fishScript(name, commands)
}

function wordsOf(program: Command, command: Command): readonly string[] {
  if (command.name() === 'completion') return SHELLS
  return (command.name() === 'help' ? program : command).commands.map((sub) => sub.name())
}

function optionsOf(command: Command): CompletedCommand['options'] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long === undefined || long === null ? [] : [{ flag: long, description }]))
}

function bashScript(name: string, commands: readonly CompletedCommand[]): string {
  const flagsOf = (options: CompletedCommand['options']): string => options.map(({ flag }) => flag).join(' ')
  const cases = commands.flatMap(({ name: command, options, words, commands: own }) => [
    `    ${command}) words="${flagsOf(options)}" own="${words.join(' ')}" ;;`,
    ...own.map((sub) => `    "${command} ${sub.name}") words="${flagsOf(sub.options)}" ;;`),
  ])
  return `# ${name} completion for bash: source <(${name} completion bash)
_${name}_complete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" command="" group=" ${groupsOf(commands)} " word words own="" first=1 skip=0
  if [[ "\${COMP_WORDS[0]}" == npx ]]; then
    # Of npx, only what follows the name of this program.
    if (( COMP_CWORD < 2 )); then COMPREPLY=($(compgen -W ${name} -- "$current")); return; fi
    [[ "\${COMP_WORDS[1]}" == ${name} ]] || return
    first=2
  fi
  for word in "\${COMP_WORDS[@]:first:COMP_CWORD-first}"; do
    if (( skip )); then skip=0; continue; fi
    case "$word" in
      --url) skip=1 ;;
      -*) ;;
      *)
        if [[ -n "$command" ]]; then command="$command $word"; break; fi
        command="$word"
        [[ "$group" == *" $command "* ]] || break
        ;;
    esac
  done
  case "$command" in
    "") words="${commands.map(({ name: command }) => command).join(' ')} --help --json --url --version" ;;
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words $own" -- "$current"))
  if [[ -n "$command" && -z "$own" && "$current" != -* ]]; then
    local IFS=$'\\n' # a name of a file may hold spaces
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -o default -F _${name}_complete ${name} npx
`
}

/** Names of the commands that have commands of their own. */
function groupsOf(commands: readonly CompletedCommand[]): string {
  return commands.flatMap(({ name, commands: own }) => (own.length > 0 ? [name] : [])).join(' ')
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
  if [[ "$words[1]" == npx ]]; then
    if (( CURRENT == 2 )); then compadd ${name}; return; fi
    [[ "$words[2]" == ${name} ]] || return
    shift words
    (( CURRENT-- ))
  fi
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _${name} ${name} npx
`
}

function fishScript(name: string, commands: readonly CompletedCommand[]): string {
  const all = commands.map(({ name: command }) => command).join(' ')
  const isCalled = `__fish_seen_subcommand_from ${name}`
  const lines = [
    ...fishLines(name, commands, { top: '__fish_use_subcommand', prefix: '' }),
    `complete -c npx -n __fish_use_subcommand -f -a ${name}`,
    ...fishLines('npx', commands, {
      top: `${isCalled}; and not __fish_seen_subcommand_from ${all}`,
      prefix: `${isCalled}; and `,
    }),
  ]
  return [`# ${name} completion for fish: ${name} completion fish | source`, ...lines, ''].join('\n')
}

/** The lines for one way to call the program: `top` holds before a command is given, `prefix` stands before its name. */
function fishLines(
  caller: string,
  commands: readonly CompletedCommand[],
  { top, prefix }: { readonly top: string; readonly prefix: string },
): readonly string[] {
  return commands.flatMap(({ name: command, description, options, words }) => {
    const inside = `complete -c ${caller} -n ${quote(`${prefix}__fish_seen_subcommand_from ${command}`)}`
    return [
      `complete -c ${caller} -n ${quote(top)} -f -a ${command} -d ${quote(description)}`,
      ...options.map(({ flag, description: text }) => `${inside} -l ${flag.slice(2)} -d ${quote(text)}`),
      ...words.map((word) => `${inside} -f -a ${word}`),
    ]
  })
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function escapeColons(text: string): string {
  return text.replaceAll(':', '\\:')
}

/** Adds `svc completion`. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print the shell completion: source <(svc completion bash)')
    .argument('<shell>', SHELLS.join(', '), parseShell)
    .action((shell: Shell) => {
      process.stdout.write(writeCompletion(program, shell))
    })
}

function parseShell(text: string): Shell {
  const shell = SHELLS.find((each) => each === text)
  if (shell === undefined) throw new InvalidArgumentError(`must be one of ${SHELLS.join(', ')}`)
  return shell
}
