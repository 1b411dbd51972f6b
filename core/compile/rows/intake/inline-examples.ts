import { DomainError, invalidField, type FieldProblem } from '../../../kernel/errors.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import type { IntakeBounds } from './bounds.ts'
import type { Example } from './example.ts'
import { checkJson, checkSize } from './json-bounds.ts'
import type { ExampleChanges } from './merge-examples.ts'
import { createExampleParser, hasId, type ExampleParser } from './parse-example.ts'
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
  yield* await parseInline(examples, createExampleParser(bounds), { bounds, field })
}

/**
 * Returns the changes that a request body names, with their ids or apart from them: the positions of examples without an
 * id claim none. Throws as `examplesFromInline`.
 */
export async function changesFromInline(
  examples: readonly unknown[],
  bounds: IntakeBounds,
): Promise<Pick<ExampleChanges, 'named' | 'added'>> {
  const parser = createExampleParser(bounds, { unnamed: 'apart' })
  const parsed = await parseInline(examples, parser, { bounds, field: 'examples' })
  return {
    named: parsed.filter((_, place) => hasId(examples[place])),
    added: parsed.filter((_, place) => !hasId(examples[place])),
  }
}

async function parseInline(
  examples: unknown,
  parser: ExampleParser,
  { bounds, field }: { readonly bounds: IntakeBounds; readonly field: string },
): Promise<readonly Example[]> {
  if (!Array.isArray(examples)) throw invalidField(field, 'must be a list')
  if (examples.length > bounds.maxRows) {
    throw invalidField(
      field,
      `has ${examples.length} examples, at most ${bounds.maxRows} are allowed`,
      COMPILE_ERRORS.too_many_examples,
    )
  }
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
  return parsed
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
