/**
 * Rentals under faults: kill -9 of worker, API, Temporal and Postgres in turn while compiles fit their adapters on rented
 * machines, with a provider that answers late, twice or not at all. What must come out: no machine outlives its job by
 * 60 seconds, none is rented twice, and the cost of each rental is the provider's to the cent. The provider is a server
 * that speaks the API of pods; its machines are processes that fit for real.
 */
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { mulberry32 } from '../../../core/model/classifier/logistic-regression.ts'
import { openDatabase } from '../../../db/kernel/database.ts'
import { sendSql } from '../../../test/support/db/send-sql.ts'
import { bootMachine } from '../../../test/support/workflows/rentals/boot.ts'
import { SWAPPED_WORDS } from '../../../test/support/workflows/rentals/given-rentals.ts'
import { Market, type RentedMachine } from '../../../test/support/workflows/rentals/market.ts'
import { startPods } from '../../../test/support/workflows/rentals/providers.ts'
import { signUpClient } from '../../harness/client.ts'
import { callUntilAnswered, killInTurn } from '../../harness/kill-in-turn.ts'
import { report, short } from '../../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../../harness/service.ts'

const { values: options } = parseArgs({
  options: {
    rentals: { type: 'string', default: '40' },
    kills: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '9' },
  },
})
const RENTALS = Number(options.rentals)
const KILLS = Number(options.kills)
const LONGEST_MS = Number(options.minutes) * 60_000
const USD_PER_HOUR = 1.2
const KEY = 'bench-key'
const BASES = fileURLToPath(new URL('../../../test/model/golden', import.meta.url))

const Accepted = z.object({ job_id: z.string() })
const Job = z.object({
  status: z.string(),
  error_code: z.string().optional(),
  completed_at: z.string().optional(),
  failed_at: z.string().optional(),
  rental: z.object({ cost_usd: z.number(), machines: z.int(), state: z.string() }),
})

const random = mulberry32(Number(options.seed))
const market = new Market({ key: KEY, usdPerHour: USD_PER_HOUR, boot: bootMachine({ bases: BASES }) })
for (let order = 0; order < 4 * RENTALS; order++) {
  const draw = random()
  if (draw < 0.1) market.faults.push({ kind: 'twice' })
  else if (draw < 0.2) market.faults.push({ kind: 'late', lateMs: 1500 })
  else if (draw < 0.3) market.faults.push({ kind: 'error' })
  else market.faults.push({ kind: 'none' })
}
const provider = await startPods(market)
const port = await freePort()
const service = await startBenchService({
  limits: { ...RAISED_LIMITS, running_jobs_free: 4, rental_usd_free: 100, rental_settle_s: 5, rental_silent_s: 20 },
  port,
  env: {
    SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    SVC_BASES_DIR: BASES,
    SVC_RENTAL_IMAGE: 'registry.example/svc-trainer:1',
    SVC_GPU_PODS_KEY: KEY,
    SVC_GPU_PODS_BASE: provider.url,
    SVC_GPU_PODS_USD_HOUR: String(USD_PER_HOUR),
  },
})
const client = await signUpClient(service.apiUrl)
try {
  const started = performance.now()
  const jobs = await Promise.all(Array.from({ length: RENTALS }, async (_, index) => await submit(index)))
  let isOver = false
  const killing = killInTurn(service, {
    kills: KILLS,
    seed: Number(options.seed),
    pauseMs: [4000, 12_000],
    isOver: () => isOver || performance.now() - started > LONGEST_MS,
  })
  const ends = new Map<string, z.output<typeof Job>>()
  while (ends.size < RENTALS && performance.now() - started < LONGEST_MS) {
    for (const id of jobs) {
      if (ends.has(id)) continue
      const job = Job.parse((await persist('GET', `/v1/compile/${id}`)).body)
      if (!['queued', 'running'].includes(job.status) && job.rental.state === 'ended') ends.set(id, job)
    }
    await sleep(1000)
  }
  isOver = true
  const kills = await killing
  const seconds = (performance.now() - started) / 1000
  await sleep(2000)

  const done = [...ends.values()]
  for (const { status, error_code: code } of done)
    if (status !== 'completed') console.log(`a job is ${status}: ${code}`)
  const lastJobEnd = Math.max(...done.map(({ completed_at: at, failed_at: failed }) => Date.parse(at ?? failed ?? '')))
  const billedUsd = market.billUsd()
  const costUsd = done.reduce((sum, { rental }) => sum + rental.cost_usd, 0)
  const jobOf = await jobsByMachine()
  const differencesUsd = [...ends].map(([id, { rental }]) => {
    const machines = market.machines.filter(({ name }) => jobOf.get(name) === id)
    return Math.abs(billUsd(machines) - rental.cost_usd)
  })
  const mostUsd = Math.max(...differencesUsd)
  const unnamed = market.machines.filter(({ name }) => !jobOf.has(name)).length
  const machineEnds = market.machines.map(({ endedAt }) => endedAt ?? Date.now())
  const outliveS = (Math.max(...machineEnds) - lastJobEnd) / 1000
  await report('rentals', [
    { what: 'rentals that ended', value: ends.size, limit: RENTALS },
    { what: 'completed', value: done.filter(({ status }) => status === 'completed').length, limit: RENTALS },
    { what: 'kill -9', value: kills, limit: KILLS },
    { what: 'machines', value: market.machines.length, limit: '' },
    { what: 'machines that the service did not order', value: unnamed, limit: 0 },
    { what: 'machines left', value: market.running.length, limit: 0 },
    { what: 'last machine after the last job, s', value: short(outliveS), limit: 60 },
    {
      what: 'machines of one lease beside one another, s in all',
      value: short(doubledMs(market.machines) / 1000),
      limit: '',
    },
    { what: 'cost of the service, USD', value: short(costUsd), limit: '' },
    { what: 'bill of the provider, USD', value: short(billedUsd), limit: '' },
    { what: 'largest difference of one rental, cents', value: short(100 * mostUsd), limit: 1 },
    { what: 'the same, seconds of its machines', value: short((3600 * mostUsd) / USD_PER_HOUR), limit: '' },
    { what: 'seconds', value: short(seconds), limit: '' },
  ])
  const isRight =
    ends.size === RENTALS && market.running.length === 0 && unnamed === 0 && outliveS < 60 && mostUsd < 0.01
  process.exitCode = isRight ? 0 : 1
} finally {
  await client.close()
  await service.stop()
  market.close()
  await provider.close()
}

/** Sends a compile until it is accepted: the key makes the repetition harmless. */
async function submit(index: number): Promise<string> {
  const body = {
    backend: 'gpu_pods',
    confirm: true,
    budget_usd: 5,
    spec: {
      task: `Swap the words, ${index}`,
      examples: SWAPPED_WORDS,
      base_model: 'llama-tied',
      k_score_floor: 0,
      lora: { epochs: 30, rank: 4, seed: index },
    },
  }
  const answer = await persist('POST', '/v1/compile/cloud', body, { 'idempotency-key': `rental-${index}` })
  return Accepted.parse(answer.body).job_id
}

async function persist(method: 'GET' | 'POST', path: string, body?: unknown, headers: Record<string, string> = {}) {
  return await callUntilAnswered(service.apiUrl, {
    method,
    path,
    body,
    headers: { 'x-api-key': client.key, ...headers },
  })
}

/** The job of each machine that the service has ordered, by the machine's name. */
async function jobsByMachine(): Promise<ReadonlyMap<string, string>> {
  const db = await openDatabase({ url: service.databaseUrl, poolSize: 1, masterKey: service.masterKey })
  try {
    const leases = await sendSql<{ name: string; job: string }>(
      db,
      'select machine_name as name, job_id as job from rental_leases',
    )
    return new Map(leases.map(({ name, job }) => [name, job]))
  } finally {
    await db.close()
  }
}

/** Returns the provider's charge for machines, less the time for which two of one name ran at once, US dollars. */
function billUsd(machines: readonly RentedMachine[]): number {
  const ms = machines.reduce((sum, { startedAt, endedAt }) => sum + ((endedAt ?? Date.now()) - startedAt), 0)
  return (ms - doubledMs(machines)) * (USD_PER_HOUR / 3_600_000)
}

/** Time for which two machines of one name ran at once, milliseconds. */
function doubledMs(machines: readonly RentedMachine[]): number {
  let sum = 0
  const until = new Map<string, number>()
  for (const { name, startedAt, endedAt } of machines.toSorted((one, other) => one.startedAt - other.startedAt)) {
    const end = endedAt ?? Date.now()
    const known = until.get(name) ?? 0
    sum += Math.max(0, Math.min(known, end) - startedAt)
    until.set(name, Math.max(known, end))
  }
  return sum
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
