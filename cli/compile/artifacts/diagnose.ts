import type { z } from 'zod'
import { DiagnosisAnswer, FailureModesAnswer } from '../../../core/compile/wire/artifacts/diagnosis.ts'
import { GetArtifactAnswer } from '../../../core/compile/wire/artifacts.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'
import { paint } from '../../terminal/output.ts'
import { formatTable, plainText } from '../../terminal/table.ts'
import { findArtifactId } from '../artifact-id.ts'

type Mode = z.input<typeof FailureModesAnswer>['clusters'][number]

/** Characters of a value in a row. */
const SHOWN = 60

/** `svc diagnose`. */
export async function diagnoseArtifact(context: CliContext, target: string, evaluation?: string): Promise<void> {
  const client = await context.client()
  const cid = await cidOf(client, target)
  const found =
    evaluation === undefined
      ? await client.call('/v1/diagnose', DiagnosisAnswer, { method: 'POST', json: { artifact_cid: cid } })
      : await client.call(`/v1/diagnose/${cid}?source=${sourceOf(evaluation)}`, DiagnosisAnswer)
  context.output.result(found, () => describeDiagnosis(found))
}

/** `svc failures`. */
export async function showFailures(context: CliContext, target: string, evaluation?: string): Promise<void> {
  const client = await context.client()
  const cid = await cidOf(client, target)
  const found =
    evaluation === undefined
      ? await client.call('/v1/failure-modes', FailureModesAnswer, { method: 'POST', json: { artifact_cid: cid } })
      : await client.call(`/v1/failure-modes/${cid}?source=${sourceOf(evaluation)}`, FailureModesAnswer)
  context.output.result(found, () => describeModes(found))
}

function sourceOf(evaluation: string): string {
  return encodeURIComponent(`evaluation:${evaluation}`)
}

async function cidOf(client: ApiClient, target: string): Promise<string> {
  if (target.startsWith('cidv1:')) return target
  const id = await findArtifactId(client, target)
  return (await client.call(`/v1/artifacts/${encodeURIComponent(id)}`, GetArtifactAnswer)).cid
}

function describeDiagnosis(found: z.input<typeof DiagnosisAnswer>): string {
  const rows = found.per_category.map(
    ({ name, n, accuracy, k_score: k, k_score_ci_lo: low, k_score_ci_hi: high, worst_sample_ids: worst }) => [
      plainText(name),
      String(n),
      accuracy.toFixed(3),
      k.toFixed(3),
      low === null || high === null ? 'under 30 rows' : `${low.toFixed(3)} to ${high.toFixed(3)}`,
      worst.join(' '),
    ],
  )
  return [
    `${found.artifact_id}: K ${found.overall_k_score} on ${found.n} rows`,
    formatTable(['category', 'rows', 'accuracy', 'K', '95 % interval', 'wrong rows'], rows),
    ...found.recommendations.map(
      ({ action, reason, target_count: count }) =>
        `${action.replaceAll('_', ' ')}: ${reason}${count === undefined ? '' : `; add ${count} rows`}`,
    ),
  ].join('\n')
}

function describeModes({
  artifact_id: id,
  n,
  wrong,
  clusters,
  unexplained,
}: z.input<typeof FailureModesAnswer>): string {
  const head = `${id}: ${wrong} of ${n} rows are wrong`
  if (wrong === 0) return head
  if (clusters.length === 0) return `${head}; they have no pattern that is more than chance`
  return [head, ...clusters.map(describeMode), `${unexplained} wrong rows are in none of these`].join('\n\n')
}

function describeMode({ title, n, wrong, lift, p_adjusted: adjusted, p_value: p, rows }: Mode): string {
  const times = lift === null ? '' : `, ${lift.toFixed(1)} times as often as all rows`
  const figures = `${wrong} of ${n} rows are wrong${times}, ${adjusted === null ? 'p' : 'adjusted p'} ${(adjusted ?? p).toExponential(1)}`
  const shown = rows.map(({ id, input, expected, got }) => [id, cell(input), cell(expected), cell(got)])
  return [
    paint('bold', plainText(title)),
    figures,
    ...(shown.length === 0 ? [] : [formatTable(['row', 'input', 'expected', 'got'], shown)]),
  ].join('\n')
}

function cell(value: unknown): string {
  if (value === undefined) return 'not kept'
  return plainText(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN)
}
