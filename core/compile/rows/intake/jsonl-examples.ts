import { DomainError, invalidField } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { parseItem } from '../table/json/json-items.ts'
import { decodeUtf8 } from '../../../kernel/json/utf8.ts'
import type { IntakeBounds } from './bounds.ts'
import { readLines } from './byte-lines.ts'
import type { Example } from './example.ts'
import { createExampleParser } from './parse-example.ts'
import type { UnansweredCensus } from './unanswered.ts'

/** A line may be longer than its canonical form: escapes take up to six bytes for one, and other members are ignored. */
const RAW_FACTOR = 8

/** Treatment of unusable lines. */
export interface JsonlOptions {
  /** Called for a line that cannot be used, which is then skipped; without it the first such line throws. */
  readonly onRefused?: (error: DomainError) => void
  /** Counts rows without an answer, which are refused where this is absent. */
  readonly unanswered?: UnansweredCensus
}

/** The value of a line; undefined for one that holds none. The depth is that of the example, one more than its parts. */
function parseLine(text: string, line: number, bounds: IntakeBounds): unknown {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('//')) return undefined
  const column = text.indexOf(trimmed) + 1
  return parseItem({ line, column, text: trimmed }, { depth: bounds.jsonDepth + 1 })
}

/**
 * The examples of a JSONL stream, one object a line; blank lines and lines that begin with `//` are skipped.
 * Errors name the line (`line[17].input`, counted from 1).
 */
export async function* examplesFromJsonl(
  bytes: AsyncIterable<Uint8Array>,
  bounds: IntakeBounds,
  options: JsonlOptions = {},
): AsyncGenerator<Example> {
  const parser = createExampleParser(bounds)
  for await (const line of readLines(bytes, bounds.exampleBytes * RAW_FACTOR)) {
    const field = `line[${line.number}]`
    try {
      const value = parseLine(decodeUtf8(line.bytes, field), line.number, bounds)
      if (value === undefined) continue
      if (value === null) throw invalidField(field, 'must be an object with input and output')
      const given = options.unanswered === undefined ? value : options.unanswered.exampleOf(value, line.number)
      if (given !== null) yield parser.parse(given, field)
    } catch (error) {
      if (
        options.onRefused === undefined ||
        !(error instanceof DomainError) ||
        COMPILE_ERRORS.too_many_examples.matches(error)
      )
        throw error
      options.onRefused(error)
    }
  }
}
