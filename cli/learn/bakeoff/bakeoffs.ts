import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../../core/kernel/ids.ts'
import { BakeoffView, ListBakeoffsAnswer } from '../../../core/learn/wire/evals/bakeoffs.ts'
import { CliError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { percent } from '../../terminal/percent.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of `svc bakeoff run`. */
export interface BakeoffFlags {
  readonly contestant?: readonly string[]
  readonly versionNumber?: number
  readonly rows?: number
  readonly margin?: number
  readonly instruction?: string
  readonly shots?: number
  readonly comparator?: string
  readonly judge?: string
}

const POLL_MS = 500

/** `svc bakeoff run`. */
export async function runBakeoff(context: CliContext, dataset: string, flags: BakeoffFlags): Promise<void> {
  const { contestant, versionNumber, ...opts } = flags
  const json = {
    dataset_id: dataset,
    ...(versionNumber !== undefined && { dataset_version: versionNumber }),
    ...(contestant !== undefined && { contestants: [...contestant] }),
    opts,
  }
  const client = await context.client()
  const request = { method: 'POST', json, idempotencyKey: newId('req') } as const
  let view = await client.call('/v1/bakeoff/run', BakeoffView, request)
  while (view.finished_at === null) {
    await sleep(POLL_MS)
    view = await client.call(view.poll, BakeoffView)
  }
  if (view.state === 'failed') {
    throw new CliError(view.error ?? 'the bake-off failed', {
      exitCode: EXIT.failed,
      code: view.error_code ?? 'bakeoff_failed',
    })
  }
  const finished = view
  context.output.result(finished, () => describeBakeoff(finished))
}

/** `svc bakeoff show`. */
export async function showBakeoff(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const view = await client.call(`/v1/bakeoffs/${encodeURIComponent(id)}`, BakeoffView)
  context.output.result(view, () => describeBakeoff(view))
}

/** `svc bakeoff list`. */
export async function listBakeoffs(context: CliContext, limit: number): Promise<void> {
  const client = await context.client()
  const answer = await client.call(`/v1/bakeoffs?limit=${limit}`, ListBakeoffsAnswer)
  context.output.result(answer, () =>
    answer.bakeoffs.length === 0
      ? 'no bake-offs yet: svc bakeoff run starts one'
      : formatTable(
          ['bake-off', 'dataset', 'state', 'rows', 'contestants', 'recommended', 'started'],
          answer.bakeoffs.map((each) => [
            each.bakeoff_id,
            `${each.dataset_id} v${each.dataset_version}`,
            each.state,
            String(each.rows_used),
            String(each.contestants.length),
            plainText(each.recommended ?? '-'),
            formatTime(each.created_at),
          ]),
        ),
  )
}

function describeBakeoff(view: BakeoffView): string {
  const head = `${view.bakeoff_id} ${view.state}: ${view.rows_used} held-out rows of ${view.dataset_id} v${view.dataset_version}`
  const table = formatTable(
    ['contestant', 'right', '95 % interval', 'USD a row', 'CPU ms a row', 'p95 ms', ''],
    view.contestants.map((each) => [
      plainText(each.name),
      each.pass_rate === null ? each.state : percent(each.pass_rate),
      each.interval === null ? '' : `${percent(each.interval.low)} to ${percent(each.interval.high)}`,
      each.avg_cost_usd === null ? '-' : each.avg_cost_usd.toPrecision(3),
      each.avg_cpu_ms === null ? '-' : each.avg_cpu_ms.toPrecision(3),
      each.p95_latency_ms === null ? '-' : each.p95_latency_ms.toPrecision(3),
      each.error === null ? (each.recommended ? 'recommended' : '') : `${each.error_code}: ${plainText(each.error)}`,
    ]),
  )
  const pairs = (view.pairs ?? [])
    .filter((pair) => pair.adjusted_p_value < 0.05)
    .map(
      (pair) =>
        `${plainText(pair.second)} less ${plainText(pair.first)}: ${percent(pair.difference)} (${percent(pair.interval.low)} to ${percent(pair.interval.high)}, adjusted p ${pair.adjusted_p_value.toPrecision(2)})`,
    )
  const strengths = (view.preferences?.strengths ?? []).map(
    ({ name, strength, stderr }) => `${plainText(name)}: strength ${strength.toFixed(2)} ± ${stderr.toFixed(2)}`,
  )
  const last = view.recommendation === null ? [] : [plainText(view.recommendation)]
  return [head, table, ...pairs, ...strengths, ...last].join('\n')
}
