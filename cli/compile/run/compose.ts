import type { z } from 'zod'
import { text as readText } from 'node:stream/consumers'
import type { Json } from '../../../core/kernel/json/json.ts'
import { ComposeAnswer, type ComposeBody } from '../../../core/compile/wire/dispatch/compose.ts'
import type { ComposeStrategy } from '../../../core/compile/runtime/routing/merge-answers.ts'
import { toCliError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { formatTable } from '../../terminal/table.ts'
import { readInput } from './run-input.ts'

/** Options of `svc compose`. */
export interface ComposeFlags {
  readonly k?: number
  readonly strategy?: ComposeStrategy
  readonly tag?: string
  readonly deadline?: number
  readonly cache: boolean
  readonly text?: boolean
  readonly jsonInput?: boolean
}

type Composed = z.output<typeof ComposeAnswer>

const REASONS: Readonly<Record<NonNullable<Composed['reason']>, string>> = {
  no_candidates: 'no concept is probably meant by this call',
  all_abstained: 'every concept that was asked abstained',
  all_failed: 'no concept that was asked gave an answer',
  step_failed: 'a step gave no answer',
  step_abstained: 'a step abstained',
}

/** `svc compose`: asks the concepts that a call is for. Answers 1 when there was no answer. */
export async function compose(context: CliContext, query: string, given: string, flags: ComposeFlags): Promise<number> {
  const client = await context.client()
  const text = given === '-' ? (await readText(process.stdin)).replace(/\r?\n$/, '') : given
  const reading = flags.text === true ? 'text' : flags.jsonInput === true ? 'json' : 'auto'
  const ask = async (input: Json): Promise<Composed> => {
    const json = {
      query,
      input,
      use_cache: flags.cache,
      ...(flags.k !== undefined && { k: flags.k }),
      ...(flags.strategy !== undefined && { strategy: flags.strategy }),
      ...(flags.tag !== undefined && { tag: flags.tag }),
      ...(flags.deadline !== undefined && { deadline_ms: flags.deadline }),
    } satisfies z.input<typeof ComposeBody>
    return await client.call('/v1/compose', ComposeAnswer, { method: 'POST', json })
  }
  const answer = await askReadings(readInput(text, reading), ask)
  context.output.result(answer, () => describe(answer))
  if (answer.reason === undefined) return EXIT.ok
  context.output.warn(`${REASONS[answer.reason]} (${answer.reason})`)
  return EXIT.failed
}

/** Asks with each reading of the input until one is for a concept. */
async function askReadings(
  [first, ...others]: readonly [Json, ...Json[]],
  ask: (input: Json) => Promise<Composed>,
): Promise<Composed> {
  const [next, ...rest] = others
  if (next === undefined) return await ask(first)
  try {
    const answer = await ask(first)
    if (answer.reason !== 'no_candidates') return answer
  } catch (error) {
    if (toCliError(error).code !== 'types_do_not_chain') throw error
  }
  return await askReadings([next, ...rest], ask)
}

function describe({ output, dispatched }: Composed): string {
  if (dispatched.length === 0) return textOf(output)
  const rows = dispatched.map(({ name, score, output: own, error }) => [
    name,
    score.toFixed(2),
    error ?? textOf(own ?? null),
  ])
  return `${textOf(output)}\n\n${formatTable(['concept', 'score', 'answer'], rows)}`
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
