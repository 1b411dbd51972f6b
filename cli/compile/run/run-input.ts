import { typeNameOf } from '../../../core/compile/language/value-types.ts'
import { TypeRefusal } from '../../../core/compile/wire/run.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { CliError, toCliError, usageError } from '../../cli-error.ts'
import type { TypeName } from '../../../core/compile/language/names.ts'

/** Ways to read the input from the command line: as text, as JSON, or by the recipe's type. */
export type InputReading = 'text' | 'json' | 'auto'

/**
 * Returns the possible readings of an input, likeliest first. `auto` uses the known input types of the recipe. Without
 * them, a bare number, `true`, `false` or `null` is text first (a phone number, a postcode), an object or a list is
 * JSON first, and quoted text is the text inside. Throws `CliError` for `json` that does not parse.
 */
export function readInput(
  text: string,
  reading: InputReading,
  known?: ReadonlySet<TypeName>,
): readonly [Json, ...Json[]] {
  if (reading === 'text') return [text]
  const parsed = parseJson(text)
  if (parsed === undefined) {
    if (reading === 'json') throw usageError('the input is not JSON, as --json-input requires')
    return [text]
  }
  if (reading === 'json' || typeof parsed === 'string') return [parsed]
  if (known !== undefined && known.size > 0)
    return known.has('text') && !known.has(typeNameOf(parsed)) ? [text] : [parsed]
  return typeof parsed === 'object' && parsed !== null ? [parsed, text] : [text, parsed]
}

/**
 * Tries the readings of an input in order until the recipe accepts one: a recipe that refuses the type of an input has
 * not run and costs no units. Throws the first reading's error, with a hint how to choose the reading.
 */
export async function runReadings<T>(
  readings: readonly [Json, ...Json[]],
  run: (input: Json) => Promise<T>,
): Promise<T> {
  const [first, ...others] = readings
  try {
    return await run(first)
  } catch (error) {
    if (!isTypeRefusal(error)) throw error
    for (const other of others) {
      try {
        return await run(other)
      } catch (next) {
        if (!isTypeRefusal(next)) throw next
      }
    }
    throw withHint(toCliError(error), typeof first === 'string')
  }
}

function isTypeRefusal(error: unknown): boolean {
  const { code, details } = toCliError(error)
  return code === 'recipe_failed' && TypeRefusal.safeParse(details).success
}

function withHint({ message, code, details, exitCode, cause }: CliError, wasText: boolean): CliError {
  const hint = wasText
    ? 'the recipe does not accept text; --json-input reads the input as JSON'
    : 'the input was read as JSON; --text takes it as text'
  return new CliError(`${message}\n  ${hint}`, { code, details, exitCode, cause })
}

function parseJson(text: string): Json | undefined {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}
