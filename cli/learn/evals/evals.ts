import type { ApiClient } from '../../client/api-client.ts'
import { findArtifactId } from '../../compile/artifact-id.ts'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../../core/kernel/ids.ts'
import { CompareAnswer } from '../../../core/learn/wire/evals/compare.ts'
import { EvalView, ListEvalsAnswer } from '../../../core/learn/wire/evals/evals.ts'
import { describeComparison } from './describe-comparison.ts'
import { CliError, usageError } from '../../cli-error.ts'
import { EXIT } from '../../exit-codes.ts'
import type { CliContext } from '../../context.ts'
import { saveBody } from '../../compile/files/download.ts'
import { formatBytes, formatTable, formatTime, plainText } from '../../terminal/table.ts'

/** Options of `svc eval run`. */
export interface EvalRunFlags {
  readonly data?: readonly string[]
  readonly dataset?: string
  readonly datasetVersion?: number
  readonly side?: string
  readonly model?: string
  readonly artifact?: string
  readonly base?: string
  readonly adapter?: string
  readonly name?: string
  readonly namespace?: string
  readonly fewshot?: number
  readonly limit?: number
  readonly seed?: number
  readonly sliceBy?: string
  readonly clusterBy?: string
}

/** Options of `svc eval compare`. */
export interface CompareFlags {
  readonly correction: string
}

/** Options of `svc eval log`. */
export interface EvalLogFlags {
  readonly format: string
  readonly out?: string
}

const POLL_MS = 500
/** Files beside a task that are sent with it. */
const MOST_FILES = 100

/** `svc eval run`. */
export async function runEval(context: CliContext, task: string | undefined, flags: EvalRunFlags): Promise<void> {
  if ((flags.data === undefined) === (flags.dataset === undefined)) throw usageError('name either --data or --dataset')
  if (flags.data !== undefined && task === undefined) throw usageError('name the file of the task: --data needs one')
  const client = await context.client()
  const json = {
    target: await targetOf(client, flags),
    ...(task !== undefined && { task: await readText(task), files: await filesBeside(task) }),
    ...(flags.data !== undefined && { data: Object.fromEntries(await Promise.all(flags.data.map(readSplit))) }),
    ...(flags.dataset !== undefined && { dataset: datasetOf(flags) }),
    ...(flags.name !== undefined && { name: flags.name }),
    ...(flags.namespace !== undefined && { namespace: flags.namespace }),
    ...(flags.fewshot !== undefined && { num_fewshot: flags.fewshot }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
    ...(flags.seed !== undefined && { seed: flags.seed }),
    ...(flags.sliceBy !== undefined && { slice_by: flags.sliceBy }),
    ...(flags.clusterBy !== undefined && { cluster_by: flags.clusterBy }),
  }
  await untilFinished(
    context,
    await client.call('/v1/evals', EvalView, { method: 'POST', json, idempotencyKey: newId('req') }),
  )
}

/** `svc eval resume`. */
export async function resumeEval(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const call = { method: 'POST', idempotencyKey: newId('req') } as const
  await untilFinished(context, await client.call(`/v1/evals/${encodeURIComponent(id)}/resume`, EvalView, call))
}

async function targetOf(client: ApiClient, { artifact, base, adapter, model }: EvalRunFlags): Promise<object> {
  const named = [artifact, base, model].filter((each) => each !== undefined)
  if (named.length !== 1) throw usageError('name one of --artifact, --base and --model')
  if (artifact !== undefined) return { artifact_id: await findArtifactId(client, artifact) }
  if (model !== undefined) return { model }
  return { base, ...(adapter !== undefined && { adapter_id: await findArtifactId(client, adapter) }) }
}

function datasetOf({ dataset, datasetVersion, side }: EvalRunFlags): object {
  return {
    id: dataset,
    ...(datasetVersion !== undefined && { version: datasetVersion }),
    ...(side !== undefined && { side }),
  }
}

async function untilFinished(context: CliContext, started: EvalView): Promise<void> {
  const client = await context.client()
  let view = started
  while (view.finished_at === null) {
    await sleep(POLL_MS)
    view = await client.call(view.poll, EvalView)
  }
  if (view.state === 'failed') {
    throw new CliError(view.error ?? 'the evaluation failed', {
      exitCode: EXIT.failed,
      code: view.error_code ?? 'evaluation_failed',
    })
  }
  const finished = view
  context.output.result(finished, () => describeEval(finished))
}

/** `svc eval show`. */
export async function showEval(context: CliContext, id: string): Promise<void> {
  const client = await context.client()
  const view = await client.call(`/v1/evals/${encodeURIComponent(id)}`, EvalView)
  context.output.result(view, () => describeEval(view))
}

/** `svc eval list`. */
export async function listEvals(context: CliContext, limit: number): Promise<void> {
  const client = await context.client()
  const answer = await client.call(`/v1/evals?limit=${limit}`, ListEvalsAnswer)
  context.output.result(answer, () =>
    answer.evaluations.length === 0
      ? 'no evaluations yet: svc eval run starts one'
      : formatTable(
          ['evaluation', 'name', 'target', 'state', 'rows', 'started'],
          answer.evaluations.map((each) => [
            each.evaluation_id,
            plainText(each.name),
            each.target,
            each.state,
            `${each.scored}/${each.rows}`,
            formatTime(each.created_at),
          ]),
        ),
  )
}

/** `svc eval compare`. */
export async function compareEvals(
  context: CliContext,
  first: string,
  second: string,
  { correction }: CompareFlags,
): Promise<void> {
  const client = await context.client()
  const answer = await client.call(`/v1/evals/${encodeURIComponent(first)}/compare`, CompareAnswer, {
    method: 'POST',
    json: { with: second, correction },
  })
  context.output.result(answer, () => describeComparison(answer))
}

/** `svc eval log`. */
export async function saveEvalLog(context: CliContext, id: string, { format, out }: EvalLogFlags): Promise<void> {
  const client = await context.client()
  const file = out ?? `${id}${format === 'inspect' ? '.eval' : '.zip'}`
  const response = await client.open(`/v1/evals/${encodeURIComponent(id)}/log?format=${encodeURIComponent(format)}`)
  const saved = await saveBody(response, file)
  context.output.result({ file, ...saved }, () => `${file} (${formatBytes(saved.size_bytes)})`)
}

/** Writes an evaluation with its figures. */
export function describeEval(view: EvalView): string {
  const head = `${view.evaluation_id} ${view.state}: ${view.target}, ${view.scored} of ${view.rows} rows scored`
  const told = view.source === 'asserted' ? ['stated by an imported log, not measured here'] : []
  const { usage, dataset } = view
  const rows = dataset === null ? [] : [`rows of ${dataset.id}, version ${dataset.version}, side ${dataset.side}`]
  const cost = usage?.cost_usd === null ? 'at an unknown cost' : `for ${usage?.cost_usd.toFixed(6)} USD`
  const paid =
    usage === null
      ? []
      : [`${usage.answered} rows answered with ${usage.input_tokens} tokens in and ${usage.output_tokens} out, ${cost}`]
  const cut = view.cut_tokens === 0 ? [] : [`${view.cut_tokens} tokens were cut from the left of prompts`]
  const figures = view.figures ?? []
  const table = formatTable(
    ['task', 'metric', 'filter', 'slice', 'value', '± stderr', '95 % interval', 'n'],
    figures.map(({ task, metric, filter, slice, value, stderr, interval, n }) => [
      plainText(task),
      metric,
      filter,
      plainText(slice ?? ''),
      value === null ? '' : value.toFixed(4),
      stderr === null ? '' : stderr.toFixed(4),
      interval === null ? '' : `${interval.low.toFixed(4)} to ${interval.high.toFixed(4)}`,
      String(n),
    ]),
  )
  const passes = (view.passes ?? []).map(
    (pass) => `${pass.task}: pass@${pass.k} ${pass.pass_at_k.toFixed(4)}, pass^${pass.k} ${pass.pass_hat_k.toFixed(4)}`,
  )
  return [head, ...told, ...rows, ...paid, ...cut, ...(figures.length === 0 ? [] : [table]), ...passes].join('\n')
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw usageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

/** The other YAML files in the folder of a task, where it includes any or is a group. */
async function filesBeside(task: string): Promise<Readonly<Record<string, string>>> {
  if (!/^(?:include|group)\s*:/m.test(await readText(task))) return {}
  const folder = dirname(task)
  const names = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name) && name !== basename(task))
  if (names.length > MOST_FILES) throw usageError(`${folder} has more than ${MOST_FILES} YAML files`)
  return Object.fromEntries(
    await Promise.all(names.toSorted().map(async (name) => [name, await readText(join(folder, name))] as const)),
  )
}

/** Rows of `split=file`: a JSON list, or a JSON object on each line. */
async function readSplit(given: string): Promise<readonly [string, readonly unknown[]]> {
  const at = given.indexOf('=')
  if (at < 1) throw usageError(`--data ${given}: write split=file`)
  const [split, file] = [given.slice(0, at), given.slice(at + 1)]
  const text = await readText(file)
  const lines = text.trimStart().startsWith('[') ? [{ text, line: 1 }] : linesOf(text)
  const rows = lines.flatMap(({ text: row, line }): readonly unknown[] => {
    try {
      const value: unknown = JSON.parse(row)
      return Array.isArray(value) ? value : [value]
    } catch (error) {
      throw usageError(`${file}, line ${line}: is no JSON`, error)
    }
  })
  return [split, rows]
}

function linesOf(text: string): readonly { readonly text: string; readonly line: number }[] {
  return text
    .split('\n')
    .map((row, place) => ({ text: row, line: place + 1 }))
    .filter((row) => row.text.trim() !== '')
}
