import { DomainError, invalidField, type FieldProblem } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { IntakeBounds } from './bounds.ts'
import type { Example } from './example.ts'
import { checkJson, checkSize } from './json-bounds.ts'
import { createExampleParser } from './parse-example.ts'
import { takeTurns } from './turns.ts'

const MAX_PROBLEMS = 20

/**
 * Yields the examples of a request body. All problems are reported together, up to twenty, each with its path
 * (`examples[3].input`); the code is that of the first.
 */
export async function* examplesFromInline(
  examples: unknown,
  bounds: IntakeBounds,
  field = 'examples',
): AsyncGenerator<Example> {
  if (!Array.isArray(examples)) throw invalidField(field, 'must be a list')
  if (examples.length > bounds.maxRows) {
    throw invalidField(
      field,
      `has ${examples.length} examples, at most ${bounds.maxRows} are allowed`,
      COMPILE_ERRORS.too_many_examples,
    )
  }
  const parser = createExampleParser(bounds)
  const problems: FieldProblem[] = []
  let first: DomainError | null = null
  const parsed: Example[] = []
  const turns = takeTurns()
  for (const [i, value] of examples.entries()) {
    const pause = turns.over()
    if (pause) await pause
    try {
      parsed.push(parser.parse(value, `${field}[${i}]`))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      first ??= error
      problems.push(...(error.details?.fields ?? []))
      if (problems.length >= MAX_PROBLEMS) break
    }
  }
  if (first !== null) throw new DomainError(first, first.message, { details: { fields: problems } })
  yield* parsed
}

/**
 * Inputs without an output, as examples; `unlabelled_<place from 1>` is their id. Throws for the first that cannot be
 * used, with its path (`unlabelled_inputs[3]`), and `too_many_examples`.
 */
export async function* examplesFromUnlabelled(
  inputs: readonly unknown[],
  bounds: IntakeBounds,
  field = 'unlabelled_inputs',
): AsyncGenerator<Example> {
  if (inputs.length > bounds.maxUnlabelled) {
    throw invalidField(
      field,
      `has ${inputs.length} inputs, at most ${bounds.maxUnlabelled} are allowed`,
      COMPILE_ERRORS.too_many_examples,
    )
  }
  for (const [i, value] of inputs.entries()) {
    const input = checkJson(value, `${field}[${i}]`, bounds.jsonDepth)
    if (input === null) throw invalidField(`${field}[${i}]`, 'must not be null')
    checkSize([input], `${field}[${i}]`, bounds)
    yield { kind: 'unlabelled', unlabelled: { id: `unlabelled_${i + 1}`, input }, field: `${field}[${i}]` }
  }
}
