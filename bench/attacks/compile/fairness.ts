import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { anonymousClient, signUpClient, type BenchClient } from '../../harness/client.ts'
import { quantile } from '../../harness/report.ts'
import type { Attack, AttackFigure } from '../attack.ts'

/** Four tenants keep two fits of 100 passes each; two of them are anonymous, as in the report of the fault. */
const FITTING_TENANTS = 4
const FITS_EACH = 2
const SMALL_COMPILES = 24
const READY_P95_MS = 3000
/** Fits are there when so much of them runs; then the small compiles begin. */
const FITTING_WITHIN_MS = 20_000
const SMALL_WITHIN_MS = 45_000
const ALONE_WITHIN_MS = 15_000

const Accepted = z.object({ job_id: z.string() })
const Status = z.object({ status: z.string(), stage: z.string() })

/** Another tenant's small compile beside fits that take all the compute they are given. */
export const fairness: Attack = {
  name: 'fairness',
  async run(service) {
    const fitting = await Promise.all(
      Array.from({ length: FITTING_TENANTS }, async (_, place) =>
        place % 2 === 0 ? await anonymousClient(service.apiUrl) : await signUpClient(service.apiUrl),
      ),
    )
    const victim = await signUpClient(service.apiUrl)
    const fits: { readonly client: BenchClient; readonly jobId: string }[] = []
    try {
      const aloneMs = await smallCompiles(victim, 5, ALONE_WITHIN_MS)
      for (const client of fitting) {
        for (let fit = 0; fit < FITS_EACH; fit++) fits.push({ client, jobId: await submit(client, fitBody()) })
      }
      await untilFitting(fits)
      const besideMs = await smallCompiles(victim, SMALL_COMPILES, SMALL_WITHIN_MS)
      const unfinished = await Promise.all(fits.map(async ({ client, jobId }) => (await look(client, jobId)).status))
      const stillFitting = unfinished.filter((status) => status === 'running' || status === 'queued').length
      return figures({ aloneMs, besideMs, stillFitting })
    } finally {
      for (const { client, jobId } of fits) await client.call('POST', `/v1/compile/${jobId}/cancel`, {})
      await Promise.all([...fitting, victim].map(async (client) => await client.close()))
    }
  },
}

function figures(seen: {
  readonly aloneMs: readonly number[]
  readonly besideMs: readonly number[]
  readonly stillFitting: number
}): readonly AttackFigure[] {
  return [
    {
      what: `p95 ms to a small compile beside ${FITTING_TENANTS} tenants with ${FITS_EACH} fits each`,
      value: quantile(seen.besideMs, 0.95),
      limit: READY_P95_MS,
      bound: 'at-most',
    },
    { what: 'median ms of the same', value: quantile(seen.besideMs, 0.5), limit: READY_P95_MS, bound: 'at-most' },
    { what: 'median ms alone', value: quantile(seen.aloneMs, 0.5), limit: READY_P95_MS, bound: 'at-most' },
    { what: 'small compiles measured', value: seen.besideMs.length, limit: 20, bound: 'at-least' },
    { what: 'fits that went on beside them to the end', value: seen.stillFitting, limit: 1, bound: 'at-least' },
  ]
}

/** Compiles small examples one after the other; milliseconds from the call to its answer, which waits for the end. */
async function smallCompiles(client: BenchClient, count: number, withinMs: number): Promise<readonly number[]> {
  const deadline = performance.now() + withinMs
  const times: number[] = []
  for (let i = 0; i < count && performance.now() < deadline; i++) {
    const startedAt = performance.now()
    const answer = await client.call('POST', '/v1/compile', smallBody(i))
    if (answer.status !== 200) throw new Error(`a small compile answered ${answer.status}: ${JSON.stringify(answer)}`)
    times.push(performance.now() - startedAt)
  }
  return times
}

/** Names and how they stand in an index: found at once. The number keeps every compile one of its own. */
function smallBody(number: number): object {
  const family = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Perlman', 'Lamport']
  const given = ['Ada', 'Grace', 'Alan']
  return {
    task: `Write the name as an index does, ${number}`,
    examples: family.flatMap((last) =>
      given.map((first) => ({ input: `${first} ${last}`, output: `${last}, ${first}` })),
    ),
    base_model: 'none',
    k_score_floor: 0.5,
  }
}

/** Outputs that nothing explains, so that an adapter is fitted for as long as it may be. */
function fitBody(): object {
  const words = ['red', 'old', 'small', 'good', 'odd', 'warm', 'dim', 'wet']
  const things = ['hat', 'cup', 'desk', 'pen', 'lamp', 'rug', 'jar', 'map']
  return {
    task: 'Say what the thing is worth',
    examples: words.flatMap((word, i) =>
      things.map((thing, j) => ({
        input: `${word} ${thing} ${(i * 31 + j * 17) % 97}`,
        output: `${['ice', 'tea', 'oil', 'tar', 'ink'][(i * 7 + j * 5 + i * j) % 5] ?? ''} ${(i * 13 + j * 29) % 89}`,
      })),
    ),
    recipe_kind: 'lora',
    lora: { epochs: 100 },
    k_score_floor: 1,
    mode: 'async',
  }
}

async function submit(client: BenchClient, body: object): Promise<string> {
  const answer = await client.call('POST', '/v1/compile', body)
  if (answer.status !== 202) throw new Error(`a fit answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return Accepted.parse(answer.body).job_id
}

async function look(client: BenchClient, jobId: string): Promise<z.output<typeof Status>> {
  return Status.parse((await client.call('GET', `/v1/compile/${jobId}`)).body)
}

/** Waits until every job has come to its fit, so that fits run and fits wait. */
async function untilFitting(fits: readonly { readonly client: BenchClient; readonly jobId: string }[]): Promise<void> {
  const deadline = performance.now() + FITTING_WITHIN_MS
  while (performance.now() < deadline) {
    const stages = await Promise.all(fits.map(async ({ client, jobId }) => (await look(client, jobId)).stage))
    if (stages.every((stage) => stage === 'lora-fit')) return
    await sleep(500)
  }
}
