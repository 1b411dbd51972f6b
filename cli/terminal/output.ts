import { styleText } from 'node:util'
import { ErrorBody } from '../../core/kernel/wire/errors.ts'
import { toCliError, type CliError } from '../cli-error.ts'

/** Output of a command: results go to standard output, everything else to standard error. */
export interface Output {
  readonly isJson: boolean
  /** True when standard error is a terminal, so that progress may move. */
  readonly isLive: boolean
  /** Writes the result: as JSON when that was asked for, else as the text that `describe` gives. */
  result(value: unknown, describe: () => string): void
  /** Writes a note for people; silent with `--json`. */
  note(line: string): void
  warn(line: string): void
  fail(error: unknown): CliError
}

/** The hint for a quota that is used up. */
export const QUOTA_HINT =
  'svc usage shows the units of this month, and svc plans lists plans with more. An anonymous workspace gets more as an account: svc signup --email ADDRESS'

type Style = Parameters<typeof styleText>[0]

/** Colours a text when standard output shows colours. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

/** The output of this process. */
export function openOutput(isJson: boolean): Output {
  const toError = (style: Style, text: string) => styleText(style, text, { stream: process.stderr })
  const warn = (line: string) => {
    process.stderr.write(`${toError('yellow', 'warning:')} ${line}\n`)
  }
  return {
    isJson,
    isLive: process.stderr.isTTY,
    result: (value, describe) => {
      process.stdout.write(`${isJson ? JSON.stringify(value) : describe()}\n`)
    },
    note: (line) => {
      if (!isJson) process.stderr.write(`${line}\n`)
    },
    warn,
    fail: (thrown) => {
      const error = toCliError(thrown)
      if (isJson) {
        const { message, code, details } = error
        process.stderr.write(`${JSON.stringify({ error: message, code, ...(details !== undefined && { details }) })}\n`)
        return error
      }
      process.stderr.write(`${toError('red', 'error:')} ${error.message} ${toError('dim', `(${error.code})`)}\n`)
      const { data } = ErrorBody.shape.details.safeParse(error.details)
      if (error.code === 'quota_exhausted') process.stderr.write(`  ${QUOTA_HINT}\n`)
      // The message already contains the first field, and often more.
      const others = (data?.fields ?? []).filter(
        ({ field, message }) => !error.message.includes(`${field}: ${message}`),
      )
      for (const { field, message } of others) process.stderr.write(`  ${field}: ${message}\n`)
      return error
    },
  }
}
