import { z } from 'zod'
import { VerifiedAnswer } from '../../../core/compile/wire/dispatch/verified.ts'
import { MessageAnswer } from '../../../core/gateway/wire/inference.ts'
import { JsonValue } from '../../../core/kernel/wire/values.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { paint } from '../../terminal/output.ts'

/** Options of `svc ask`. */
export interface AskFlags {
  readonly verified?: boolean
  readonly expect?: string
  readonly case?: readonly string[]
  readonly judge?: string
  readonly k: number
  readonly system?: string
  readonly maxTokens: number
  readonly namespace?: string
}

const Case = z.tuple([JsonValue, JsonValue])

/** `svc ask`. Returns 1 for an answer that does not verify. */
export async function ask(
  context: CliContext,
  { model, question }: { readonly model: string; readonly question: string },
  flags: AskFlags,
): Promise<number> {
  const body = {
    model,
    messages: [{ role: 'user', content: question }],
    max_tokens: flags.maxTokens,
    ...(flags.system !== undefined && { system: flags.system }),
    ...(flags.namespace !== undefined && { corpus_namespace: flags.namespace }),
  }
  if (flags.verified === true) return await askVerified(context, { ...body, verified: optionsOf(flags) })
  if (flags.expect !== undefined || flags.case !== undefined || flags.judge !== undefined) {
    throw usageError('--expect, --case and --judge need --verified')
  }
  const client = await context.client()
  const answer = await client.call('/v1/messages', MessageAnswer, { method: 'POST', json: body })
  context.output.result(answer, () => textOf(answer.content))
  return EXIT.ok
}

async function askVerified(context: CliContext, json: object): Promise<number> {
  const client = await context.client()
  const answer = await client.call('/v1/wrap/verified', VerifiedAnswer, { method: 'POST', json })
  context.output.result(answer, () => describe(answer))
  return answer._svc.verified ? EXIT.ok : EXIT.failed
}

/** The test of the samples: the expected answer, test cases, or a judge with its expected output. */
function optionsOf({ expect, case: cases, judge, k }: AskFlags): object {
  if (judge !== undefined) {
    if (cases !== undefined) throw usageError('give --case or --judge, not both')
    if (expect === undefined) throw usageError('--judge needs --expect: its output for a right answer')
    const named = judge.startsWith('ver_') ? { judge_version_id: judge } : { judge_recipe_id: judge }
    return { k, ...named, expected: jsonOrText(expect) }
  }
  if (cases !== undefined) {
    if (expect !== undefined) throw usageError('give --case or --expect, not both')
    return { k, test_cases: cases.map(readCase) }
  }
  if (expect === undefined) throw usageError('--verified needs --expect, --case or --judge')
  return { k, test_cases: [{ input: null, expected: jsonOrText(expect) }] }
}

function readCase(text: string): object {
  const read = Case.safeParse(jsonOrText(text))
  if (!read.success) throw usageError(`--case ${text}: must be a JSON list [input, expected]`)
  const [input, expected] = read.data
  return { input, expected }
}

/** A value as JSON; a text that is none stands for itself. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The text of an answer: that of its text blocks. */
function textOf(content: readonly { readonly text?: unknown }[]): string {
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('')
}

function describe({ content, _svc: facts }: z.input<typeof VerifiedAnswer>): string {
  const { verified, candidates, chosen, cost_usd: cost, recall_chunks: passages, receipt } = facts
  const samples = `${candidates.length} ${candidates.length === 1 ? 'sample' : 'samples'}`
  const state = verified ? paint('green', 'verified') : paint('red', 'not verified')
  return [
    textOf(content),
    `${state}: ${chosen.passes} of ${chosen.total} tests pass, ${samples}, ${cost === null ? 'cost unknown' : `$${cost.toFixed(6)}`}${passages === 0 ? '' : `, ${passages} passages of documents`}`,
    paint('dim', `receipt signed with ${receipt.kid}; --json has it`),
  ].join('\n')
}
