import { GATEWAY_ERRORS } from '../../../../core/gateway/errors.ts'
import { invalidField } from '../../../../core/kernel/errors.ts'
import type { DefinedError } from '../../../../core/kernel/errors.ts'

const MOST_CHARS = 400
const MOST_QUOTED_CHARS = 300
const PLAIN = /^[A-Za-z0-9._:/\-=,@]+$/
const NAME = 'svc'

/** A command line as words; no shell reads it. */
export interface CommandLine {
  readonly verb: string
  readonly args: readonly string[]
}

/**
 * Reads a command line: `svc`, a verb and arguments, each a word of letters, digits and `._:/-=,@`, or a text in double
 * quotes without escapes. Throws `empty_command`, `command_too_long`, `unbalanced_quote`, `not_a_svc_command`,
 * `missing_verb` and `arg_rejected`.
 */
export function readCommandLine(text: string): CommandLine {
  const line = text.trim()
  if (line === '') throw refused('is empty', GATEWAY_ERRORS.empty_command)
  if (line.length > MOST_CHARS) throw refused(`has more than ${MOST_CHARS} characters`, GATEWAY_ERRORS.command_too_long)
  if ((line.split('"').length - 1) % 2 === 1)
    throw refused('has a quote that is not closed', GATEWAY_ERRORS.unbalanced_quote)
  const [name, verb, ...args] = line.match(/"[^"]*"|[^\s"]+/g) ?? []
  if (name !== NAME) throw refused(`must start with ${NAME}`, GATEWAY_ERRORS.not_a_svc_command)
  if (verb === undefined) throw refused('names no verb; svc help lists them', GATEWAY_ERRORS.missing_verb)
  return { verb, args: args.map((arg) => readArgument(arg)) }
}

function readArgument(arg: string): string {
  if (!arg.startsWith('"')) {
    if (PLAIN.test(arg)) return arg
    throw refused(
      `${JSON.stringify(arg)} must be of letters, digits and ._:/-=,@, or in double quotes`,
      GATEWAY_ERRORS.arg_rejected,
    )
  }
  const quoted = arg.slice(1, -1)
  if (quoted.length > MOST_QUOTED_CHARS) {
    throw refused(`has a text of more than ${MOST_QUOTED_CHARS} characters`, GATEWAY_ERRORS.arg_rejected)
  }
  if (/[\\\p{Cc}]/u.test(quoted)) throw refused('has an escape in a text', GATEWAY_ERRORS.arg_rejected)
  return quoted
}

/** An error that names the field of the command. */
export function refused(message: string, error: DefinedError) {
  return invalidField('command', message, error)
}
