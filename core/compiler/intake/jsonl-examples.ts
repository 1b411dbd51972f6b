import { TextDecoder } from 'node:util'
import { DomainError, invalidField } from '../../errors.ts'
import type { IntakeBounds } from './bounds.ts'
import { readLines } from './byte-lines.ts'
import type { Example } from './example.ts'
import { createExampleParser } from './parse-example.ts'

/** A line may be longer than its canonical form: escapes take up to six bytes for one, and other members are ignored. */
const RAW_FACTOR = 8

/** How lines that cannot be used are treated. */
export interface JsonlOptions {
  /** Called for a line that cannot be used, which is then skipped; without it the first such line throws. */
  readonly onRefused?: (error: DomainError) => void
}

function parseLine(bytes: Uint8Array, field: string, decoder: TextDecoder): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch (cause) {
    throw new DomainError('invalid_encoding', `${field}: is not valid UTF-8`, {
      details: { fields: [{ field, message: 'is not valid UTF-8' }] },
      cause,
    })
  }
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.startsWith('//')) return undefined
  try {
    return JSON.parse(trimmed)
  } catch (cause) {
    throw new DomainError('invalid_json', `${field}: is not JSON`, {
      details: { fields: [{ field, message: 'is not JSON' }] },
      cause,
    })
  }
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
  // Fatal: replacement characters would silently change what was given. A byte order mark is dropped.
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const line of readLines(bytes, bounds.exampleBytes * RAW_FACTOR)) {
    const field = `line[${line.number}]`
    try {
      const value = parseLine(line.bytes, field, decoder)
      if (value === undefined) continue
      if (value === null) throw invalidField(field, 'must be an object with input and output')
      yield parser.parse(value, field)
    } catch (error) {
      if (options.onRefused === undefined || !(error instanceof DomainError) || error.code === 'too_many_examples')
        throw error
      options.onRefused(error)
    }
  }
}
