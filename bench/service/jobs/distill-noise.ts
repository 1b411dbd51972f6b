/**
 * Distils captured calls of which 10 % have a wrong label and 5 % are near-duplicates, beside the same calls without either:
 * `npm run bench -- --intents FILE distill-noise`, where FILE is `{train: [{input, output}], test: [...]}`. The teacher is wrong about
 * 5 % of the texts, each time that it is asked. `node bench/service/jobs/distill-noise.ts --data FILE --more N` takes N of the test rows
 * as calls too. Limits: accuracy on the fresh rows 0.92
 * and at most 0.02 below that of the clean calls, F1 0.8 of the wrong labels, no text of a held-out row in a request to the teacher.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { z } from 'zod'
import { wilsonInterval } from '../../../core/kernel/statistics/wilson-interval.ts'
import { createRandom } from '../../../core/model/random.ts'
import type { ScriptedAnswer, ScriptedCall } from '../../../test/support/providers/scripted-model.ts'
import { startProvider } from '../../../test/support/providers/server.ts'
import { signUpClient, type BenchClient } from '../../harness/client.ts'
import { report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'
import { f1Of, noisyCalls, type Call } from './noisy-calls.ts'

const NOISE = { wrong: 0.1, near: 0.05 }
const TEACHER_WRONG = 0.05
const LEAST_ACCURACY = 0.92
const MOST_LOST = 0.02
const LEAST_F1 = 0.8
const TEACHER = 'house-teacher'
/** Calls that are logged in one request, and rows in one page. */
const PAGE = 100

const Shown = z.object({
  run: z.object({
    state: z.string(),
    error_code: z.string().nullable(),
    artifact_id: z.string().nullable(),
    dataset_id: z.string().nullable(),
    counts: z.record(z.string(), z.number()).nullish(),
    manifest: z.looseObject({ curation: z.looseObject({ put_aside_rows: z.array(z.string()) }).optional() }).nullable(),
    held_out_labels: z.object({ suspects: z.array(z.object({ row_id: z.string() })).optional() }).nullish(),
  }),
})

const Rows = z.object({
  rows: z.array(z.object({ row: z.object({ prompt: z.string() }) })),
  next_cursor: z.string().nullable(),
})

const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    more: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})
const Pair = z.object({ input: z.string(), output: z.string() })
const file = z
  .object({ train: z.array(Pair).min(20), test: z.array(Pair).min(1) })
  .parse(JSON.parse(await readFile(options.data ?? '', 'utf8')))
const rows = [...file.train, ...file.test.slice(0, Number(options.more))]
const fresh = file.test.slice(Number(options.more))
const random = createRandom(Number(options.seed), 'distill-noise')
const clean = rows.map(({ input, output }) => ({ input, output, right: output }))
const noisy = noisyCalls(rows, NOISE, random)

const labels = [...new Set(rows.map(({ output }) => output))].toSorted()
const answers = new Map(
  [...clean, ...noisy].map(({ input, right }) => [
    input,
    random.float() < TEACHER_WRONG ? (labels[random.below(labels.length)] ?? right) : right,
  ]),
)
const asked: string[] = []
const teacher = await startProvider('chat-completions', (call: ScriptedCall): ScriptedAnswer => {
  const question = call.messages.at(-1)?.text ?? ''
  const input = z.string().parse(JSON.parse(question.slice(question.indexOf('"'))))
  asked.push(call.messages.map(({ text }) => text).join('\n'))
  return { texts: Array.from({ length: call.n }, () => JSON.stringify({ answer: answers.get(input) })) }
})
const service = await startBenchService({
  limits: { ...RAISED_LIMITS, running_jobs_free: 4, distill_starts_per_tenant_minute: 100 },
  env: {
    SVC_EGRESS_PRIVATE: 'true',
    SVC_TEACHER_DIALECT: 'chat-completions',
    SVC_TEACHER_BASE_URL: teacher.baseUrl,
    SVC_TEACHER_API_KEY: teacher.apiKey,
    SVC_TEACHER_MODEL: TEACHER,
    SVC_TEACHER_INPUT_USD: '1',
    SVC_TEACHER_OUTPUT_USD: '2',
    SVC_TEACHER_BUDGET_USD: '50',
  },
})
try {
  const client = await signUpClient(service.apiUrl)
  const undisturbed = await distil(client, { namespace: 'clean', calls: clean })
  const disturbed = await distil(client, { namespace: 'noisy', calls: noisy, teacher: TEACHER })
  const best = await measure(client, undisturbed.artifactId)
  const reached = await measure(client, disturbed.artifactId)
  const wrong = new Set(noisy.flatMap(({ output, right }, at) => (output === right ? [] : (disturbed.ids[at] ?? []))))
  const found = f1Of(new Set([...disturbed.putAside, ...disturbed.suspects]), wrong)
  const leaked = disturbed.held.filter((text) => asked.some((request) => request.includes(JSON.stringify(text)))).length
  await client.close()
  await report('distill-noise', [
    { what: 'calls, clean', value: clean.length, limit: '' },
    { what: 'calls, with noise', value: noisy.length, limit: '' },
    { what: 'of them with a wrong label', value: wrong.size, limit: '' },
    { what: 'accuracy on fresh rows, clean', ...best.figure, limit: '' },
    { what: 'accuracy on fresh rows, with noise', ...reached.figure, limit: LEAST_ACCURACY },
    { what: 'lost by noise', value: short(best.accuracy - reached.accuracy), limit: MOST_LOST },
    { what: 'wrong labels found: precision', value: short(found.precision), limit: '' },
    { what: 'wrong labels found: recall', value: short(found.recall), limit: '' },
    { what: 'wrong labels found: F1', value: short(found.f1), limit: LEAST_F1 },
    { what: 'rows that the teacher was asked about', value: disturbed.putAside.length, limit: '' },
    { what: 'rows that it brought back', value: disturbed.relabelled, limit: '' },
    { what: 'held-out rows that are in a request', value: leaked, limit: 0 },
  ])
  const isReached = reached.accuracy >= LEAST_ACCURACY && best.accuracy - reached.accuracy <= MOST_LOST
  process.exitCode = isReached && found.f1 >= LEAST_F1 && leaked === 0 ? 0 : 1
} finally {
  await service.stop()
  await teacher.close()
}

/** The result that a run made of its calls. */
interface Distilled {
  readonly artifactId: string
  /** Ids of the captures, in the order of the calls. */
  readonly ids: readonly string[]
  readonly putAside: readonly string[]
  /** Held-out rows with a doubtful label. */
  readonly suspects: readonly string[]
  readonly relabelled: number
  /** Texts of the held-out rows. */
  readonly held: readonly string[]
}

async function distil(
  client: BenchClient,
  given: { readonly namespace: string; readonly calls: readonly Call[]; readonly teacher?: string },
): Promise<Distilled> {
  const { namespace, calls, teacher: name } = given
  const ids: string[] = []
  for (let from = 0; from < calls.length; from += PAGE) {
    const items = calls.slice(from, from + PAGE).map(({ input, output }) => ({ input, output }))
    const logged = await call(client, 'POST', '/v1/capture/log', { namespace, provider: 'openai', model: 'm', items })
    ids.push(...z.object({ ids: z.array(z.string()) }).parse(logged).ids)
  }
  const body = { namespace, mode: 'specialist', base_model: 'none', k_score_floor: 0.3, ...(name && { teacher: name }) }
  const { run_id: runId } = z
    .object({ run_id: z.string() })
    .parse(await call(client, 'POST', '/v1/distill/from-captures', body))
  for (;;) {
    const { run } = Shown.parse(await call(client, 'GET', `/v1/distill/runs/${runId}`))
    if (run.state === 'completed') {
      if (run.artifact_id === null) throw new Error('the run completed without an artifact')
      return {
        artifactId: run.artifact_id,
        ids,
        putAside: run.manifest?.curation?.put_aside_rows ?? [],
        suspects: run.held_out_labels?.suspects?.map(({ row_id: id }) => id) ?? [],
        relabelled: run.counts?.['relabelled'] ?? 0,
        held: await heldTexts(client, run.dataset_id ?? ''),
      }
    }
    if (run.state === 'failed' || run.state === 'cancelled') throw new Error(`the run ${run.state}: ${run.error_code}`)
    await sleep(500)
  }
}

async function heldTexts(client: BenchClient, datasetId: string): Promise<readonly string[]> {
  const page = Rows.parse(await call(client, 'GET', `/v1/datasets/${datasetId}/rows?side=holdout&limit=500`))
  if (page.next_cursor !== null) throw new Error('the held-out rows fill more than a page')
  return page.rows.map(({ row }) => row.prompt)
}

async function measure(client: BenchClient, artifactId: string) {
  const limit = pLimit(8)
  const Job = z.looseObject({ version_id: z.string() })
  const { version_id: versionId } = Job.parse(await call(client, 'GET', `/v1/compile/${artifactId}`))
  const Answer = z.looseObject({ output: z.unknown() })
  const right = await Promise.all(
    fresh.map(async ({ input, output }) =>
      limit(async () => {
        const answer = await call(client, 'POST', '/v1/run', { version_id: versionId, input, use_cache: false })
        return Answer.parse(answer).output === output
      }),
    ),
  )
  const count = right.filter(Boolean).length
  const accuracy = count / fresh.length
  const { low, high } = wilsonInterval(count, fresh.length)
  return {
    accuracy,
    figure: { value: accuracy.toFixed(4), interval: `${short(low)} to ${short(high)}`, n: fresh.length },
  }
}

async function call(client: BenchClient, method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> {
  const answer = await client.call(method, path, body)
  if (answer.status >= 300)
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}
