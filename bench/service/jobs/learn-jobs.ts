import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { openMembers } from '../../../test/support/archives/forge.ts'
import { sha256 } from '../../../core/kernel/json/json.ts'
import { callUntilAnswered } from '../../harness/kill-in-turn.ts'

/** Numbers of jobs of each kind. */
export interface LearnPlan {
  readonly evaluations: number
  readonly gates: number
  readonly runs: number
}

/** The outcome of a job, without ids and times: the same for the same input. */
export interface LearnOutcome {
  readonly name: string
  readonly outcome: string
}

/** A tenant of the service that asks until it is answered. */
interface Caller {
  readonly apiUrl: string
  readonly key: string
  /** Sets the keys of repeated calls apart. */
  readonly name: string
}

const Compiled = z.object({ job_id: z.string(), status: z.string() })
const Evaluation = z.object({
  evaluation_id: z.string(),
  state: z.string(),
  finished_at: z.string().nullish(),
  data_hash: z.string(),
  figures: z.unknown(),
  error_code: z.string().nullable(),
})
const EvalRows = z.object({
  rows: z.array(z.unknown()),
  next_from: z.int().nullable(),
})
const Gate = z.looseObject({ gate_id: z.string(), state: z.string(), finished_at: z.string().nullish() })
const Run = z.object({
  run_id: z.string(),
  state: z.string(),
  error_code: z.string().nullish(),
  k_final: z.number().nullish(),
  artifact_id: z.string().nullish(),
  counts: z.unknown(),
})

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath', 'inlet', 'knoll'] as const
const word = (at: number): string => `${WORDS[at % 10] ?? ''} ${WORDS[Math.floor(at / 10) % 10] ?? ''} ${at}`
const THINGS = ['lamp', 'book', 'chair', 'table', 'clock', 'radio', 'shirt', 'shoe', 'coat', 'bag'] as const
const PLACES = ['Bern', 'Oslo', 'Rome'] as const

/** The label that a ticket should have. */
export const labelOfTicket = (text: string): string => (text.includes('parcel') ? 'shipping' : 'billing')

/** Sixty tickets of two kinds; every twentieth has the label of the other kind. */
function tickets(run: number) {
  const texts = THINGS.flatMap((thing) =>
    PLACES.flatMap((place) => [
      `Where is the parcel ${run} with the ${thing} that I sent to ${place}?`,
      `The invoice ${run} for the ${thing} from ${place} shows a wrong amount`,
    ]),
  )
  const other = { shipping: 'billing', billing: 'shipping' } as const
  return texts.map((input, at) => {
    const right = labelOfTicket(input) === 'shipping' ? 'shipping' : 'billing'
    return { input, output: at % 20 === 7 ? other[right] : right }
  })
}

const CHOICES = `task: next
test_split: test
output_type: multiple_choice
doc_to_text: "{{question}}"
doc_to_choice: choices
doc_to_target: answer
`
const ANSWERS = `task: capitals
test_split: test
output_type: generate_until
doc_to_text: input
doc_to_target: output
`

async function send(caller: Caller, method: 'GET' | 'POST', path: string, body?: unknown, once?: string) {
  const headers = {
    'x-api-key': caller.key,
    ...(once !== undefined && { 'idempotency-key': `${caller.name}-${once}` }),
  }
  const answer = await callUntilAnswered(caller.apiUrl, { method, path, body, headers })
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Asks until `isOver` holds of what the path answers. */
async function ended<T>(caller: Caller, path: string, read: z.ZodType<T>, isOver: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = read.parse(await send(caller, 'GET', path))
    if (isOver(value)) return value
    await sleep(500)
  }
}

async function compile(caller: Caller, change: (text: string) => string, name: string): Promise<string> {
  const examples = Array.from({ length: 12 }, (_, at) => ({ input: word(7 * at), output: change(word(7 * at)) }))
  const body = { task: name, examples, k_score_floor: 0.3, mode: 'async' }
  const { job_id: id } = Compiled.pick({ job_id: true }).parse(await send(caller, 'POST', '/v1/compile', body, name))
  const { status } = await ended(
    caller,
    `/v1/compile/${id}`,
    Compiled,
    (job) => !['queued', 'running'].includes(job.status),
  )
  if (status !== 'completed') throw new Error(`the compile of ${name} is ${status}`)
  return id
}

async function evaluate(caller: Caller, at: number, artifact: string): Promise<string> {
  const isChoice = at % 3 === 0
  const data = Array.from({ length: isChoice ? 30 : 200 }, (_, row) =>
    isChoice
      ? {
          question: `Which number comes after ${row + at}?`,
          choices: [`${row + 1}`, `${row + 2}`, 'none'],
          answer: row % 3,
        }
      : { input: word(row + at), output: row % 5 === 0 ? word(row + at) : word(row + at).toUpperCase() },
  )
  const target = isChoice ? { base: 'nano' } : { artifact_id: artifact }
  const body = { name: `evaluation ${at}`, target, task: isChoice ? CHOICES : ANSWERS, data: { test: data } }
  const { evaluation_id: id } = Evaluation.pick({ evaluation_id: true }).parse(
    await send(caller, 'POST', '/v1/evals', body, `evaluation-${at}`),
  )
  const done = await ended(caller, `/v1/evals/${id}`, Evaluation, (one) => typeof one.finished_at === 'string')
  const rows: unknown[] = []
  for (let from: number | null = 1; from !== null;) {
    const page = EvalRows.parse(await send(caller, 'GET', `/v1/evals/${id}/rows?from=${from}&limit=100`))
    rows.push(...page.rows)
    from = page.next_from
  }
  return digest({ state: done.state, code: done.error_code, data: done.data_hash, figures: done.figures, rows })
}

async function decide(caller: Caller, at: number, sides: { candidate: string; baseline: string }): Promise<string> {
  const rows = Array.from({ length: 120 }, (_, row) => {
    const input = word(1000 * (at + 1) + row)
    return { input, output: row % 4 === at % 4 ? input : input.toUpperCase() }
  })
  const body = { candidate_artifact: sides.candidate, baseline_artifact: sides.baseline, rows }
  const { gate_id: id } = Gate.pick({ gate_id: true }).parse(
    await send(caller, 'POST', '/v1/eval/gate', body, `gate-${at}`),
  )
  const done = await ended(caller, `/v1/eval/gates/${id}`, Gate, (one) => typeof one.finished_at === 'string')
  // The order of the rows hangs on the id of the gate, and with it how many are scored until the decision.
  return digest({ state: done.state, decision: done['decision'], rows: done['rows'] })
}

async function distil(caller: Caller, at: number): Promise<string> {
  const namespace = `tickets-${at}`
  const items = tickets(at)
  const captured = { namespace, provider: 'openai', model: 'm', items }
  await send(caller, 'POST', '/v1/capture/log', captured, `captures-${at}`)
  const body = { namespace, mode: 'specialist', teacher: 'house-teacher', base_model: 'none', k_score_floor: 0.3 }
  const { run_id: id } = Run.pick({ run_id: true }).parse(
    await send(caller, 'POST', '/v1/distill/from-captures', body, `run-${at}`),
  )
  const path = `/v1/distill/runs/${id}`
  const { run } = await ended(
    caller,
    path,
    z.object({ run: Run }),
    (one) => !['queued', 'running', 'waiting'].includes(one.run.state),
  )
  const { state, error_code: code, k_final: k, counts, artifact_id: artifact } = run
  return digest({ state, code, k, counts, recipe: artifact ? await recipeOf(caller, artifact) : null })
}

/** Digest of the members of an archive that answer: its evidence names the run and the dataset. */
async function recipeOf(caller: Caller, artifact: string): Promise<string> {
  for (;;) {
    try {
      const answer = await fetch(`${caller.apiUrl}/v1/compile/${artifact}/.svc`, {
        headers: { 'x-api-key': caller.key },
      })
      if (answer.ok) {
        const members = await openMembers(new Uint8Array(await answer.arrayBuffer()))
        return sha256(members.get('recipes.json') ?? new Uint8Array())
      }
    } catch {
      // The API is being started again.
    }
    await sleep(250)
  }
}

/** The outcome and, to be read by people, its first figures. */
function digest(value: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(value)
  const { state, code, decision, k } = value
  return `${JSON.stringify({ state, code, decision, k })} ${sha256(Buffer.from(text)).slice(7, 23)}`
}

/** Starts all jobs of a plan at once, and returns how they ended. */
export async function runLearnJobs(caller: Caller, plan: LearnPlan): Promise<readonly LearnOutcome[]> {
  const candidate = await compile(caller, (text) => text.toUpperCase(), 'In capitals')
  const baseline = await compile(caller, (text) => text.replaceAll(' ', '-'), 'With dashes')
  const many = (count: number, name: string, job: (at: number) => Promise<string>) =>
    Array.from({ length: count }, async (_, at) => ({ name: `${name} ${at}`, outcome: await job(at) }))
  return await Promise.all([
    ...many(plan.evaluations, 'evaluation', async (at) => await evaluate(caller, at, candidate)),
    ...many(plan.gates, 'gate', async (at) => await decide(caller, at, { candidate, baseline })),
    ...many(plan.runs, 'run', async (at) => await distil(caller, at)),
  ])
}
