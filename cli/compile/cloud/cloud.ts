import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { CloudAccepted, CloudQuoteAnswer, type CloudQuoteView } from '../../../core/compile/wire/jobs/rentals/cloud.ts'
import { usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { requireWritable } from '../../terminal/overwrite.ts'
import { readExamples } from '../files/examples.ts'
import { showEnd } from '../show-end.ts'
import { fitSpec, type FitFlags } from '../train/fit-options.ts'

/** Options of `svc cloud quote`. */
export interface CloudFlags extends Omit<FitFlags, 'trainer'> {
  readonly lane: string
  readonly namespace?: string
  readonly task?: string
  readonly floor?: number
  readonly budget?: number
}

/** Options of `svc cloud compile`. */
export interface CloudCompileFlags extends CloudFlags {
  readonly allowSensitive?: boolean
  readonly async?: boolean
  readonly out?: string
  readonly force?: boolean
}

/** `svc cloud quote`. */
export async function quoteCloud(context: CliContext, file: string | undefined, flags: CloudFlags): Promise<void> {
  const json = { ...(await requestOf(file, flags)), confirm: false }
  const client = await context.client()
  const answer = await client.call('/v1/compile/cloud', CloudQuoteAnswer, { method: 'POST', json })
  context.output.result(answer, () =>
    [
      ...describeQuote(answer.estimate),
      `svc cloud compile with the same arguments and --budget ${answer.estimate.cost_usd} or more starts the job`,
    ].join('\n'),
  )
}

/** `svc cloud compile`: starts the job, watches it, and answers the exit code that its end deserves. */
export async function compileOnCloud(
  context: CliContext,
  file: string | undefined,
  flags: CloudCompileFlags,
): Promise<number> {
  if (flags.out !== undefined) await requireWritable(flags.out, flags.force)
  const json = {
    ...(await requestOf(file, flags)),
    confirm: true,
    ...(flags.allowSensitive === true && { allow_sensitive: true }),
  }
  const client = await context.client()
  // The same key for every attempt: a connection that is lost on the way never rents twice.
  const accepted = await client.call('/v1/compile/cloud', CloudAccepted, {
    method: 'POST',
    idempotencyKey: randomUUID(),
    json,
  })
  if (flags.async === true) {
    context.output.result(accepted, () => `${accepted.job_id} ${accepted.status}\nsvc watch ${accepted.job_id}`)
    return EXIT.ok
  }
  const [price = ''] = describeQuote(accepted.estimate)
  context.output.note(`job ${accepted.job_id}: ${price}, budget ${accepted.rental.budget_usd} USD`)
  return await showEnd(context, client, accepted.job_id, flags)
}

async function requestOf(file: string | undefined, flags: CloudFlags) {
  const { lane, namespace, task, floor, budget } = flags
  if ((file === undefined) === (namespace === undefined)) {
    throw usageError('name a file of examples or --namespace NAME, and not both')
  }
  const choices = {
    ...fitSpec(flags),
    ...(task !== undefined && { task }),
    ...(floor !== undefined && { k_score_floor: floor }),
  }
  const shared = {
    backend: lane,
    ...(namespace !== undefined && { namespace }),
    ...(budget !== undefined && { budget_usd: budget }),
  }
  if (file === undefined) return { ...shared, spec: choices }
  const examples = await readExamples(file, undefined, false)
  try {
    const rows = examples.kind === 'inline' ? examples.rows : await readLines(file)
    return { ...shared, spec: { ...examples.spec, ...choices, examples: rows } }
  } finally {
    await examples.dispose()
  }
}

/** The rows of a file of JSON lines. Throws `CliError` for a file of another form. */
async function readLines(file: string): Promise<readonly unknown[]> {
  if (!/\.(jsonl|ndjson)$/i.test(file)) {
    throw usageError(`${file}: svc cloud takes .json and .jsonl files whose rows have input and output`)
  }
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, place) => {
    if (line.trim() === '') return []
    try {
      return [JSON.parse(line)]
    } catch (error) {
      throw usageError(`${file}: line ${place + 1} is not JSON`, error)
    }
  })
}

/** A quote in lines: the price first, then what it rests on. */
function describeQuote({ cost_usd: usd, usd: span, inputs }: z.output<typeof CloudQuoteView>): readonly string[] {
  const { lane, tokens_per_second: speed, tokens_per_pass: perPass, epochs } = inputs
  const per = (figure: typeof speed): string =>
    figure.basis === 'measured' ? `${figure.value} (measured on ${figure.n})` : `not measured: ${figure.why}`
  return [
    `${usd.toFixed(2)} USD expected on ${lane}, ${span.low.toFixed(2)} to ${span.high.toFixed(2)}`,
    `tokens of a pass: ${per(perPass)}, ${epochs} passes`,
    `tokens a second: ${per(speed)}, at ${inputs.usd_per_hour} USD an hour`,
  ]
}
