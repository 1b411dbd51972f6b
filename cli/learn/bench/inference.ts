import { findArtifactId } from '../../compile/artifact-id.ts'
import { writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../../core/kernel/ids.ts'
import { InferenceView, ListInferenceAnswer } from '../../../core/learn/wire/evals/inference.ts'
import { CliError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of `svc bench inference`. */
export interface MeasureFlags {
  readonly concurrency?: number | readonly number[]
  readonly repeats?: number
  readonly warmUp?: number
  readonly maxTokens?: number
  readonly prompt?: readonly string[]
  readonly dryRun?: boolean
  readonly out?: string
}

const POLL_MS = 500
const ARTIFACT = /^(?:cmp|ver|cpt)_|^cidv1:/

/** `svc bench inference <target>`. */
export async function measureInference(context: CliContext, target: string, flags: MeasureFlags): Promise<void> {
  const { concurrency, repeats, warmUp, maxTokens, prompt, dryRun, out } = flags
  const client = await context.client()
  const json = {
    ...(ARTIFACT.test(target) ? { artifact_id: await findArtifactId(client, target) } : { model: target }),
    ...(concurrency !== undefined && { concurrency: [concurrency].flat() }),
    ...(repeats !== undefined && { repeats }),
    ...(warmUp !== undefined && { warm_up: warmUp }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(prompt !== undefined && { prompts: [...prompt] }),
    ...(dryRun === true && { dry_run: true }),
  }
  const request = { method: 'POST', json, idempotencyKey: newId('req') } as const
  let view = await client.call('/v1/bench/inference/run', InferenceView, request)
  while (view.finished_at === null && view.poll !== null) {
    await sleep(POLL_MS)
    view = await client.call(view.poll, InferenceView)
  }
  if (view.state === 'failed') {
    throw new CliError(view.error ?? 'the measurement failed', {
      exitCode: EXIT.failed,
      code: view.error_code ?? 'measurement_failed',
    })
  }
  if (out !== undefined && view.row !== null) await writeFile(out, `${JSON.stringify(view.row, null, 2)}\n`)
  const done = view
  context.output.result(done, () => describe(done))
}

/** `svc bench inference`. */
export async function listMeasurements(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/bench/inference', ListInferenceAnswer)
  context.output.result(answer, () =>
    answer.measurements.length === 0
      ? 'no measurements yet: svc bench inference <target> makes one'
      : formatTable(
          ['measurement', 'target', 'state', 'calls', 'started'],
          answer.measurements.map((each) => [
            each.measurement_id ?? '',
            each.plan.target.name,
            each.state,
            String(each.plan.calls),
            each.created_at === null ? '' : formatTime(each.created_at),
          ]),
        ),
  )
}

function describe({ plan, row, measurement_id: id }: InferenceView): string {
  const { target, calls, warm_up_calls: warmUp, concurrency } = plan
  if (row === null) {
    return `would measure ${plainText(target.name)}: ${calls} calls after ${warmUp} to warm up, at concurrency ${concurrency.join(', ')}; nothing was measured`
  }
  const { hardware, arms } = row
  return [
    `${id} ${plainText(target.name)} on ${hardware.cpus} × ${plainText(hardware.cpu_model)}`,
    formatTable(
      ['at once', 'calls', 'errors', 'TTFT p50 ms', 'p50 ms', 'p95 ms', 'tokens/s', 'calls/s'],
      arms.baseline.map((level) => [
        String(level.concurrency),
        String(level.n_calls),
        String(level.err_calls),
        level.ttft_ms === null ? '-' : level.ttft_ms.p50.toPrecision(3),
        level.latency_ms === null ? '-' : level.latency_ms.p50.toPrecision(3),
        level.latency_ms === null ? '-' : level.latency_ms.p95.toPrecision(3),
        level.tokens_per_sec === null ? '-' : level.tokens_per_sec.toFixed(1),
        level.calls_per_sec.toFixed(1),
      ]),
    ),
    `signed by ${row.kid}`,
  ].join('\n')
}
