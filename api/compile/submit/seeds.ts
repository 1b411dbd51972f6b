import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { DomainError, invalidField } from '../../../core/kernel/errors.ts'
import { isJsonObject, type Json } from '../../../core/kernel/json/json.ts'
import type { Limits } from '../../../core/compile/limits.ts'
import { parseJsonText } from '../../../core/kernel/json/json-text.ts'

/** Examples out of seeds, with the number of lines that could not be read. */
export interface Seeds {
  readonly examples: readonly Json[]
  readonly skipped: number
}

/**
 * Reads seeds: one JSON object per line with `input` and `output` (or `expected`, or the older `prompt` and
 * `completion`). Blank lines and lines that start with `//` are ignored, lines that cannot be read are counted. Throws
 * `empty_seeds` for a text without lines, `too_many_examples`, and `invalid_seeds` when it is too large or no line can be read.
 */
export function readSeeds(text: string, limits: Limits): Seeds {
  if (Buffer.byteLength(text) > limits.preview_seeds_bytes) {
    throw invalidField(
      'seeds_jsonl_text',
      `must have at most ${limits.preview_seeds_bytes} bytes`,
      COMPILE_ERRORS.invalid_seeds,
    )
  }
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.trimStart().startsWith('//'))
  if (lines.length > limits.inline_examples) {
    const message = `has ${lines.length} lines, at most ${limits.inline_examples} are allowed`
    throw invalidField('seeds_jsonl_text', message, COMPILE_ERRORS.too_many_examples)
  }
  if (lines.length === 0)
    throw invalidField('seeds_jsonl_text', 'must have at least two lines', COMPILE_ERRORS.empty_seeds)
  const examples = lines.map((line) => readLine(line, limits)).filter((example) => example !== undefined)
  if (examples.length === 0)
    throw invalidField('seeds_jsonl_text', 'has no line that can be read', COMPILE_ERRORS.invalid_seeds)
  return { examples, skipped: lines.length - examples.length }
}

function readLine(line: string, limits: Limits): Json | undefined {
  let value: Json
  try {
    value = parseJsonText(line, limits.json_depth)
  } catch (error) {
    if (error instanceof DomainError) return undefined
    throw error
  }
  if (!isJsonObject(value)) return undefined
  const input = value['input'] ?? value['prompt']
  const output = value['output'] ?? value['expected'] ?? value['completion']
  if (input === undefined || input === null || output === undefined) return undefined
  const id = value['id']
  return { input, output, ...(typeof id === 'string' && { id }) }
}
