/**
 * Evaluations against lm-evaluation-harness 0.4.13 on transformers: `node bench/model/lm-eval.ts --python PYTHON [--base FOLDER] [--rows N]`. PYTHON has
 * bench/model/lm-eval-requirements.lock installed. The same tasks and rows on the same base, one thread each: prompts have to be the same bytes,
 * log-probabilities within 1e-4 (of whole texts: within 1e-5 of themselves), rows right and errors equal. Prints a table and writes .out/lm-eval.json; some minutes on two quiet cores.
 */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { prepareTask } from '../../core/learn/evals/prompts/prepare-task.ts'
import type { EvalRequest } from '../../core/learn/evals/prompts/prepared.ts'
import type { RowResponses } from '../../core/learn/evals/scoring/responses.ts'
import { createScorer } from '../../core/learn/evals/scoring/score-row.ts'
import { summarize, type SummaryRow } from '../../core/learn/evals/scoring/summarize.ts'
import { localModel } from '../../core/learn/evals/targets/local-model.ts'
import { readTasks } from '../../core/learn/evals/task/read-tasks.ts'
import { openBaseModel } from '../../core/model/files/base-model.ts'
import { openOfflineGenerator } from '../../core/model/generation/offline-generator.ts'
import { report, short } from '../harness/report.ts'
import { EVAL_TASKS, evalRows } from './lm-eval-tasks.ts'

const { values } = parseArgs({
  options: {
    python: { type: 'string' },
    base: { type: 'string', default: 'bases/nano' },
    rows: { type: 'string', default: '30' },
  },
})
const { python, base: folder, rows: count } = values
if (python === undefined) throw new Error('--python names an interpreter that has lm-eval-requirements.lock installed')

const Peer = z.object({
  seconds: z.record(z.string(), z.number()),
  results: z.record(z.string(), z.record(z.string(), z.unknown())),
  samples: z.record(
    z.string(),
    z.array(
      z.object({
        doc_id: z.int(),
        filter: z.string(),
        arguments: z.array(z.array(z.string())),
        resps: z.array(z.unknown()),
        metrics: z.record(z.string(), z.number()),
      }),
    ),
  ),
})
/** A log-probability, and whether it is of the likeliest tokens. */
const Pair = z.tuple([z.coerce.number(), z.unknown()])
type PeerSample = z.output<typeof Peer>['samples'][string][number]

const MOST_DIFFERENCE = 1e-4

const data = { train: evalRows(40, 1), test: evalRows(Number(count), 2) }
const names = Object.keys(EVAL_TASKS)
const workplace = await mkdtemp(join(tmpdir(), 'svc-lm-eval-'))
try {
  const peer = await runPeer(python)
  const base = await openBaseModel(resolve(folder))
  const generator = openOfflineGenerator(base.model, base.tokenizer)
  const target = localModel({ base, generator, adapter: undefined, seed: 0 })
  const table = []
  for (const name of names) {
    const set = readTasks({ task: EVAL_TASKS[name] ?? '' })
    const [task] = set.tasks
    if (task === undefined) throw new Error(`no task ${name}`)
    const startedAt = performance.now()
    const rows = prepareTask(task, data, { fewShots: null, limit: null, seed: 1234, sliceBy: null, clusterBy: null })
    const score = createScorer(task)
    const scored: SummaryRow[] = []
    const found = { prompts: 0, furthest: 0, metrics: 0, others: 0 }
    for (const row of rows) {
      const { responses } = await target.answer(task, { ...row, bought: [] }, new AbortController().signal)
      const { scores, rightRepeats } = score(row, responses)
      scored.push({ ...row, scores, rightRepeats })
      const theirs = (peer.samples[name] ?? []).filter(({ doc_id: docId }) => docId === row.docId)
      const [first] = theirs
      if (first === undefined) continue
      found.prompts += Number(JSON.stringify(row.requests.map(textsOf)) === JSON.stringify(first.arguments))
      found.furthest = Math.max(found.furthest, differenceOf(responses, first))
      for (const { filter, metrics } of scores) {
        const other = theirs.find((sample) => sample.filter === filter)?.metrics ?? {}
        for (const [metric, value] of Object.entries(metrics)) {
          if (typeof value !== 'number' || other[metric] === undefined) continue
          const isSame = Math.abs(value - other[metric]) <= MOST_DIFFERENCE
          found[isSame ? 'metrics' : 'others']++
        }
      }
    }
    const seconds = (performance.now() - startedAt) / 1000
    // Bootstrapped errors are left out: the peer takes hours for those of some metrics.
    const errors = summarize(set, scored).figures.flatMap(({ metric, filter, stderr, interval }) => {
      const other = peer.results[name]?.[`${metric}_stderr,${filter}`]
      return typeof other === 'number' && interval !== null ? [Math.abs((stderr ?? 0) - other)] : []
    })
    const theirSeconds = peer.seconds[name] ?? Number.NaN
    table.push({
      task: name,
      rows: rows.length,
      'prompts alike': found.prompts,
      'furthest log-probability': Number(found.furthest.toExponential(1)),
      'metrics alike': found.metrics,
      'metrics unlike': found.others,
      'stderr, furthest': errors.length === 0 ? 'none' : Number(Math.max(...errors).toExponential(1)),
      'rows/s': short(rows.length / seconds),
      'rows/s of lm-eval': short(rows.length / theirSeconds),
    })
    if (found.prompts < rows.length || found.furthest > MOST_DIFFERENCE || found.others > 0) process.exitCode = 1
  }
  await generator.close()
  await report('lm-eval', table)
} finally {
  await rm(workplace, { recursive: true, force: true })
}

async function runPeer(interpreter: string): Promise<z.output<typeof Peer>> {
  const files = Object.fromEntries(Object.keys(data).map((split) => [split, join(workplace, `${split}.json`)]))
  await writeFile(files['train'] ?? '', JSON.stringify(data.train))
  await writeFile(files['test'] ?? '', JSON.stringify(data.test))
  for (const [name, text] of Object.entries(EVAL_TASKS)) {
    const source = `dataset_path: json\ndataset_kwargs:\n  data_files: ${JSON.stringify(files)}\n`
    await writeFile(join(workplace, `${name}.yaml`), source + text)
  }
  const out = join(workplace, 'peer.json')
  const script = fileURLToPath(new URL('lm-eval-peer.py', import.meta.url))
  const args = [script, workplace, resolve(folder), names.join(','), out]
  const env = { PATH: process.env['PATH'], HOME: workplace }
  const { status, stderr } = spawnSync(interpreter, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the peer ended with ${status}: ${stderr.slice(-2000)}`)
  return Peer.parse(JSON.parse(await readFile(out, 'utf8')))
}

function textsOf(request: EvalRequest): readonly string[] {
  if (request.type === 'loglikelihood') return [request.context, request.continuation]
  return [request.type === 'loglikelihood_rolling' ? request.text : request.context]
}

/** The largest difference of a log-probability; infinite for another text. */
function differenceOf(responses: RowResponses, { resps }: PeerSample): number {
  // The sum over a whole text is compared in proportion: in single precision its last digits depend on the order.
  if (responses.type === 'rolling') return Math.abs(10 * (1 - z.coerce.number().parse(resps[0]) / responses.logProb))
  if (responses.type === 'texts') return responses.texts[0] === resps[0] ? 0 : Number.POSITIVE_INFINITY
  return Math.max(...responses.likelihoods.map(({ logProb }, place) => Math.abs(logProb - Pair.parse(resps[place])[0])))
}
