import { typeNameOf } from '../../core/compile/language/value-types.ts'
import { TypeRefusal } from '../../core/compile/wire/run.ts'
import type { Json } from '../../core/kernel/json/json.ts'
import { CliError, toCliError, usageError } from '../cli-error.ts'
import type { TypeName } from '../../core/compile/language/names.ts'

/** How the words of the user become an input: as they are, as JSON, or as the recipe takes them. */
export type InputReading = 'text' | 'json' | 'auto'

/**
 * What an input may mean, likeliest first. `auto` goes by the types of the inputs that the recipe is known for. Of a
 * recipe that is not known, a bare number, `true`, `false` or `null` is a text first (a phone number, a postcode), an
 * object or a list is JSON first, and a text in quotes is the text inside. Throws `CliError` for `json` that is none.
 */
export function readInput(
  text: string,
  reading: InputReading,
  known?: ReadonlySet<TypeName>,
): readonly [Json, ...Json[]] {
  if (reading === 'text') return [text]
  const parsed = parseJson(text)
  if (parsed === undefined) {
    if (reading === 'json') throw usageError('the input is not JSON, which --json-input asks for')
    return [text]
  }
  if (reading === 'json' || typeof parsed === 'string') return [parsed]
  if (known !== undefined && known.size > 0)
    return known.has('text') && !known.has(typeNameOf(parsed)) ? [text] : [parsed]
  return typeof parsed === 'object' && parsed !== null ? [parsed, text] : [text, parsed]
}

/**
 * Runs the readings of an input in their order until the recipe takes one: a recipe that refuses the type of an input
 * has not run, and costs nothing. Throws what the first reading threw, with a hint at how to choose the reading.
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
    ? 'the recipe takes no text here; --json-input reads the input as JSON'
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
