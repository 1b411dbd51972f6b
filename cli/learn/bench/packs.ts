import { findArtifactId } from '../../compile/artifact-id.ts'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Benchmark } from '../../../core/learn/evals/bench/benchmarks.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { BenchPackView, ListPacksAnswer } from '../../../core/learn/wire/bench/packs.ts'
import { BenchRunView } from '../../../core/learn/wire/bench/runs.ts'
import type { ApiClient } from '../../client/api-client.ts'
import { CliError, usageError } from '../../cli-error.ts'
import type { CliContext } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { formatBytes, formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of the runs. */
export interface BenchFlags {
  readonly artifact?: string
  readonly base?: string
  readonly adapter?: string
  readonly pack?: string
  readonly namespace?: string
  readonly name?: string
  readonly seed?: number
  readonly maxTokens?: number
  readonly subjects?: readonly string[]
  readonly limit?: number
  readonly fewshot?: number
  readonly answer?: string
  readonly samples?: number
  readonly timeout?: number
  readonly judge?: string
}

/** Options of `svc bench upload`. */
export interface UploadFlags {
  readonly benchmark: Benchmark
  readonly name?: string
  readonly namespace?: string
}

const POLL_MS = 500

/** `svc bench mmlu|humaneval|mtbench`: starts a run and waits for its results. */
export async function runBench(context: CliContext, benchmark: Benchmark, flags: BenchFlags): Promise<void> {
  if ((flags.artifact === undefined) === (flags.base === undefined))
    throw usageError('name either --artifact or --base')
  const client = await context.client()
  const { namespace, pack } = flags
  const packId =
    pack === undefined || /^bpk_[0-9a-z]{26}$/.test(pack)
      ? pack
      : (await upload(client, pack, { benchmark, ...(namespace !== undefined && { namespace }) })).pack_id
  const json = withoutAbsent({
    confirm: true,
    artifact_id: flags.artifact === undefined ? undefined : await findArtifactId(client, flags.artifact),
    base: flags.base,
    adapter_id: flags.adapter === undefined ? undefined : await findArtifactId(client, flags.adapter),
    pack_id: packId,
    namespace,
    name: flags.name,
    seed: flags.seed,
    max_gen_toks: flags.maxTokens,
    subjects: flags.subjects,
    num_fewshot: flags.fewshot,
    answer: flags.answer,
    sandbox_timeout_ms: flags.timeout,
    judge_model: flags.judge,
    ...(benchmark === 'humaneval' ? { n_samples: flags.samples, limit: flags.limit } : { n_samples: flags.limit }),
  })
  const options = { method: 'POST', json, idempotencyKey: newId('req') } as const
  let view = await client.call(`/v1/bench/${benchmark}`, BenchRunView, options)
  while (view.finished_at === null) {
    await sleep(POLL_MS)
    view = await client.call(view.poll, BenchRunView)
  }
  if (view.state === 'failed') {
    throw new CliError(view.error ?? 'the run failed', {
      exitCode: EXIT.failed,
      code: view.error_code ?? 'evaluation_failed',
    })
  }
  const finished = view
  context.output.result(finished, () => describeRun(finished))
}

/** `svc bench show`. */
export async function showBench(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const view = await client.call(`/v1/bench/runs/${encodeURIComponent(id)}`, BenchRunView)
  context.output.result(view, () => describeRun(view))
}

/** `svc bench upload`. */
export async function uploadPack(context: CliContext, file: string, flags: UploadFlags): Promise<void> {
  const pack = await upload(await context.client(), file, flags)
  context.output.result(pack, () => `${pack.pack_id} ${pack.benchmark}: ${pack.questions} questions`)
}

/** `svc bench packs`. */
export async function listPacks(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('/v1/bench/packs?limit=100', ListPacksAnswer)
  const rows = [
    ...answer.packs.map((pack) => [
      pack.pack_id,
      pack.benchmark,
      plainText(pack.name),
      String(pack.questions),
      formatTime(pack.created_at),
    ]),
    ...answer.installed.map((pack) => [
      'installed',
      pack.benchmark,
      plainText(pack.file),
      formatBytes(pack.size_bytes),
      '',
    ]),
  ]
  context.output.result(answer, () =>
    rows.length === 0
      ? 'no packs yet: svc bench upload stores the official file of a benchmark'
      : formatTable(['pack', 'benchmark', 'name', 'questions', 'stored'], rows),
  )
}

async function upload(
  client: ApiClient,
  file: string,
  { benchmark, name, namespace }: UploadFlags,
): Promise<BenchPackView> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw usageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, error)
  })
  const query = new URLSearchParams(withoutAbsent({ benchmark, name, namespace }))
  const body = { method: 'POST', bytes, idempotencyKey: newId('req') } as const
  return await client.call(`/v1/bench/packs?${query.toString()}`, BenchPackView, body)
}

function withoutAbsent<T>(given: Readonly<Record<string, T | undefined>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]): [string, T][] => (value === undefined ? [] : [[name, value]])),
  )
}

function describeRun(view: BenchRunView): string {
  const head = `${view.run_id} ${view.state}: ${view.benchmark} of ${view.target}, ${view.scored} of ${view.rows} questions scored`
  const { results } = view
  if (results === null) return head
  switch (results.benchmark) {
    case 'mmlu':
      return [
        head,
        `accuracy ${results.accuracy.toFixed(4)} (${results.correct} of ${results.n}), 95 % interval ${interval(results.interval)}`,
        formatTable(
          ['subject', 'accuracy', '95 % interval', 'n'],
          Object.entries(results.by_subject).map(([subject, of]) => [
            plainText(subject),
            of.accuracy.toFixed(4),
            interval(of.interval),
            String(of.n),
          ]),
        ),
      ].join('\n')
    case 'humaneval':
      return [
        head,
        ...Object.entries(results.pass_at).map(([k, value]) => `pass@${k} ${value.toFixed(4)}`),
        `${results.passed} of ${results.n * results.n_samples} completions passed`,
      ].join('\n')
    case 'mtbench':
      return [
        head,
        `mean score ${results.mean_score?.toFixed(2) ?? '-'} of 10 on ${results.n} questions, judged by ${results.judge}`,
        `${results.judge_errors} turns without a score`,
        formatTable(
          ['category', 'mean score', 'n'],
          Object.entries(results.by_category).map(([category, of]) => [
            plainText(category),
            of.mean_score.toFixed(2),
            String(of.n),
          ]),
        ),
      ].join('\n')
  }
}

function interval({ low, high }: { readonly low: number; readonly high: number }): string {
  return `${low.toFixed(4)} to ${high.toFixed(4)}`
}
