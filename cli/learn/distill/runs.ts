import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { newId } from '../../../core/kernel/ids.ts'
import { CapturesDistillAnswer, CapturesPreviewAnswer } from '../../../core/learn/wire/distill/captures.ts'
import { PreferenceAnswer } from '../../../core/learn/wire/distill/preference.ts'
import { ListRunsAnswer, RunAnswer, type RunDetail } from '../../../core/learn/wire/distill/runs.ts'
import { CliError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { doubtfulLines } from './doubtful-lines.ts'
import { watchLines } from './watch-lines.ts'
import { formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of `svc distill start`. */
export interface StartFlags {
  readonly namespace?: string
  readonly mode?: string
  readonly name?: string
  readonly task?: string
  readonly teacher?: string
  readonly base?: string
  readonly floor?: number
  readonly minPairs?: number
  readonly wait: boolean
}

/** Options of `svc distill preference`. */
export interface PreferenceFlags {
  readonly pairs?: string
  readonly dataset?: string
  readonly review?: boolean
  readonly namespace?: string
  readonly student?: string
  readonly objective?: string
  readonly beta?: number
  readonly epochs?: number
  readonly floor?: number
  readonly wait: boolean
}

const POLL_MS = 500

/** `svc distill start`. */
export async function startDistillation(context: CliContext, flags: StartFlags): Promise<void> {
  const { namespace, mode, name, task, teacher, base, floor, minPairs, wait } = flags
  const json = {
    ...(namespace !== undefined && { namespace }),
    ...(mode !== undefined && { mode }),
    ...(name !== undefined && { name }),
    ...(task !== undefined && { task }),
    ...(teacher !== undefined && { teacher }),
    ...(base !== undefined && { base_model: base }),
    ...(floor !== undefined && { k_score_floor: floor }),
    ...(minPairs !== undefined && { min_pairs: minPairs }),
  }
  const client = await context.client()
  const accepted = await client.call('/v1/distill/from-captures', CapturesDistillAnswer, {
    method: 'POST',
    json,
    idempotencyKey: newId('req'),
  })
  if (wait) {
    await watchDistillation(context, accepted.run_id)
    return
  }
  context.output.result(accepted, () => `${accepted.run_id}: ${accepted.mode} of ${accepted.captures} captures`)
}

/** `svc distill preference`. */
export async function startPreference(context: CliContext, flags: PreferenceFlags): Promise<void> {
  const { pairs, dataset, review, namespace, student, objective, beta, epochs, floor, wait } = flags
  const json = {
    ...(pairs !== undefined && { pairs_path: pairs }),
    ...(dataset !== undefined && { dataset_id: dataset }),
    ...(review === true && { source: 'review' }),
    ...(namespace !== undefined && { namespace }),
    ...(student !== undefined && { student_path: student }),
    ...(objective !== undefined && { objective }),
    ...(beta !== undefined && { beta }),
    ...(epochs !== undefined && { epochs }),
    ...(floor !== undefined && { k_score_floor: floor }),
  }
  const client = await context.client()
  const accepted = await client.call('/v1/distill/preference', PreferenceAnswer, {
    method: 'POST',
    json,
    idempotencyKey: newId('req'),
  })
  if (wait) {
    await watchDistillation(context, accepted.run_id)
    return
  }
  context.output.result(accepted, () => `${accepted.run_id}: ${accepted.objective} with beta ${accepted.beta}`)
}

/** `svc distill watch`. Throws `CliError` with the code of a run that did not complete. */
export async function watchDistillation(context: CliContext, runId: string): Promise<void> {
  const client = await context.client()
  const path = `/v1/distill/runs/${encodeURIComponent(runId)}`
  const lines = watchLines()
  for (;;) {
    const { run } = await client.call(path, RunAnswer)
    for (const line of lines(run)) context.output.note(line)
    if (run.finished_at !== null) {
      if (run.state !== 'completed') {
        for (const line of doubtfulLines(run.held_out_labels)) context.output.note(line)
        throw new CliError(run.error ?? `the run is ${run.state}`, {
          exitCode: EXIT.failed,
          code: run.error_code ?? 'distill_failed',
        })
      }
      context.output.result(run, () => describeRun(run))
      return
    }
    await sleep(POLL_MS)
  }
}

/** `svc distill show`. */
export async function showRun(context: CliContext, runId: string): Promise<void> {
  const client = await context.client()
  const { run } = await client.call(`/v1/distill/runs/${encodeURIComponent(runId)}`, RunAnswer)
  context.output.result(run, () => describeRun(run))
}

/** `svc distill cancel`. */
export async function cancelDistillation(context: CliContext, runId: string): Promise<void> {
  const client = await context.client()
  const path = `/v1/distill/runs/${encodeURIComponent(runId)}/cancel`
  const { run } = await client.call(path, RunAnswer, { method: 'POST', json: {} })
  context.output.result(run, () => `${run.run_id} is ${run.state}`)
}

/** `svc distill runs`. */
export async function listRuns(
  context: CliContext,
  { limit, namespace }: { readonly limit: number; readonly namespace?: string },
): Promise<void> {
  const client = await context.client()
  const of = namespace === undefined ? '' : `&namespace=${encodeURIComponent(namespace)}`
  const answer = await client.call(`/v1/distill/runs?limit=${limit}${of}`, ListRunsAnswer)
  context.output.result(answer, () =>
    answer.runs.length === 0
      ? 'no runs yet: svc distill start begins one'
      : formatTable(
          ['run', 'kind', 'namespace', 'state', 'rows', 'doubtful', 'loss', 'K', 'USD', 'started'],
          answer.runs.map((run) => [
            run.run_id,
            run.kind,
            run.namespace,
            run.state,
            String(run.pair_count),
            run.doubtful_held_out === null ? '-' : String(run.doubtful_held_out),
            numberText(run.loss_final),
            numberText(run.k_final),
            numberText(run.spend_usd),
            formatTime(run.created_at),
          ]),
        ),
  )
}

/** `svc distill preview`. */
export async function previewCaptures(
  context: CliContext,
  namespace: string,
  { target }: { readonly target: number },
): Promise<void> {
  const client = await context.client()
  const path = `/v1/distill/from-captures/preview?namespace=${encodeURIComponent(namespace)}&target_k=${target}`
  const answer = await client.call(path, CapturesPreviewAnswer)
  const { data_budget: budget, cost } = answer
  context.output.result(answer, () =>
    [
      `${answer.total_captures} captures, ${answer.mode_hint}; answered by ${answer.teacher_source} models, risk by their terms: ${answer.teacher_source_tos_risk}`,
      formatTable(
        ['cluster', 'captures'],
        answer.top_clusters.map(({ template_hash: hash, count }) => [hash, String(count)]),
      ),
      `a compile reserves ${cost.compile_units} units; a teacher at the mean cost of these captures: ${cost.teacher_usd_at_most === null ? 'unknown' : `at most $${cost.teacher_usd_at_most.toFixed(4)}`}`,
      budget.basis === 'insufficient'
        ? `data budget: ${budget.points} finished runs are too few, or fit no curve`
        : `data budget: ${budget.verdict}, ${budget.pairs_remaining ?? 'no number of'} more rows for K ${target}; at most K ${numberText(budget.achievable_k_max)}`,
    ].join('\n'),
  )
}

type Run = z.output<typeof RunDetail>

function describeRun(run: Run): string {
  const { counts, teacher } = run
  return [
    `${run.run_id} ${run.kind} of ${run.namespace}: ${run.state}${run.error === null ? '' : `, ${plainText(run.error)}`}`,
    `rows       ${counts.rows}, ${counts.train} learned from, ${counts.held_out} held out, ${counts.put_aside} put aside, ${counts.relabelled} relabelled`,
    ...(teacher === null
      ? []
      : [`teacher    ${teacher}, ${run.teacher_asked ? `${counts.teacher_samples} samples` : 'not asked'}`]),
    `loss       ${numberText(run.loss_final)} after ${run.step_count} steps`,
    `K          ${numberText(run.k_final)}`,
    ...doubtfulLines(run.held_out_labels),
    `spend      ${run.spend_usd === null ? 'not known' : `$${run.spend_usd.toFixed(4)}`}`,
    `artifact   ${run.artifact_id ?? `none${run.unsigned_reason === null ? '' : `: ${run.unsigned_reason}`}`}`,
    ...(run.adapter_url === null ? [] : [`adapter    ${run.adapter_url}`]),
    ...(run.dataset_id === null ? [] : [`dataset    ${run.dataset_id} version ${run.dataset_version ?? '-'}`]),
  ].join('\n')
}

function numberText(value: number | null): string {
  return value === null ? '-' : value.toFixed(4)
}
