/**
 * Memory over a long run: `npm run bench -- memory`, or `node bench/service/memory.ts [--compiles 5000] [--runs
 * 1000000]`. Small compiles one after the other, then calls of `/v1/run`, in a service of its own; each second the
 * resident set of API and worker is read. Prints the line in tenths of the work, and how much it grows after the first
 * tenth. Limits: the worker under 600 MB, and neither process more than 5 % above its first tenth.
 */
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { signUpClient, type BenchClient } from '../harness/client.ts'
import { report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService, type BenchService } from '../harness/service.ts'

const { values: options } = parseArgs({
  options: { compiles: { type: 'string', default: '5000' }, runs: { type: 'string', default: '1000000' } },
})
const COMPILES = Number(options.compiles)
const RUNS = Number(options.runs)
/** Callers at once: as many as keep the worker busy, and as keep the API busy. */
const COMPILING = 4
const RUNNING = 32
const SAMPLE_EVERY_MS = 1000
const TENTHS = 10
const WORKER_MB = 600
const GROWTH = 1.05

const PROCESSES = ['api', 'worker'] as const
type ProcessName = (typeof PROCESSES)[number]

/** Resident megabytes of each process when so many units of work were done. */
interface Sample {
  readonly done: number
  readonly residentMb: Readonly<Record<ProcessName, number>>
}

const Job = z.object({ concept_id: z.string() })

const service = await startBenchService({ limits: { ...RAISED_LIMITS, running_jobs_free: 2 * COMPILING } })
const client = await signUpClient(service.apiUrl, 'free', RUNNING)
try {
  let conceptId = ''
  const compiles = await watch(service, { total: COMPILES, callers: COMPILING }, async (number) => {
    const answer = await client.call('POST', '/v1/compile', smallBody(number))
    if (answer.status !== 200) throw new Error(`a compile answered ${answer.status}: ${JSON.stringify(answer.body)}`)
    conceptId = Job.parse(answer.body).concept_id
  })
  const runs = await watch(
    service,
    { total: RUNS, callers: RUNNING },
    async (number) => await run(client, conceptId, number),
  )
  const rows = [...tableOf('compiles', compiles), ...tableOf('runs', runs)]
  await report('memory', rows)
  if (rows.some(({ holds }) => holds === 'NO')) process.exitCode = 1
} finally {
  await client.close()
  await service.stop()
}

/** Does `total` units of work and reads the resident sets meanwhile. */
async function watch(
  measured: BenchService,
  { total, callers }: { readonly total: number; readonly callers: number },
  work: (number: number) => Promise<void>,
): Promise<readonly Sample[]> {
  const samples: Sample[] = []
  let begun = 0
  let done = 0
  const identities = await measured.processes()
  const sample = async (): Promise<void> => {
    const [api, worker] = await Promise.all(PROCESSES.map(async (name) => await residentMb(identities[name]?.pid)))
    samples.push({ done, residentMb: { api: api ?? Number.NaN, worker: worker ?? Number.NaN } })
  }
  await sample()
  const timer = setInterval(() => void sample(), SAMPLE_EVERY_MS)
  try {
    await Promise.all(
      Array.from({ length: callers }, async () => {
        while (begun < total) {
          await work(begun++)
          done++
        }
      }),
    )
  } finally {
    clearInterval(timer)
  }
  await sample()
  return samples
}

/** One line per process: its resident set in each tenth, and how much the last exceeds the first. */
function tableOf(what: string, samples: readonly Sample[]): Record<string, string | number>[] {
  const total = samples.at(-1)?.done ?? 0
  return PROCESSES.map((name) => {
    const tenths = Array.from({ length: TENTHS }, (_, tenth) =>
      mean(
        samples
          .filter(({ done }) => Math.min(TENTHS - 1, Math.floor((done / total) * TENTHS)) === tenth)
          .map(({ residentMb: each }) => each[name]),
      ),
    )
    const after = samples.filter(({ done }) => done >= total / TENTHS)
    const growth = (tenths.at(-1) ?? Number.NaN) / (tenths[1] ?? Number.NaN)
    const highest = Math.max(...samples.map(({ residentMb: each }) => each[name]))
    const isSmall = name !== 'worker' || highest < WORKER_MB
    return {
      process: name,
      of: `${total} ${what}`,
      'MB in tenths': tenths.map((mb) => Math.round(mb)).join(' '),
      highest: short(highest),
      'MB per 1000 after the first tenth': short(1000 * slope(after, name)),
      'last to second tenth': short(growth),
      holds: isSmall && growth <= GROWTH ? 'yes' : 'NO',
    }
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Megabytes per unit of work, by least squares. */
function slope(samples: readonly Sample[], name: ProcessName): number {
  const x = mean(samples.map(({ done }) => done))
  const y = mean(samples.map(({ residentMb: each }) => each[name]))
  let products = 0
  let squares = 0
  for (const { done, residentMb: each } of samples) {
    products += (done - x) * (each[name] - y)
    squares += (done - x) ** 2
  }
  return products / squares
}

async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 'none'}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}

async function run(caller: BenchClient, conceptId: string, number: number): Promise<void> {
  const answer = await caller.call('POST', '/v1/run', { concept_id: conceptId, input: `Ada Number${number}` })
  if (answer.status !== 200) throw new Error(`a run answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

/** Names and how they stand in an index. The number keeps every compile one of its own. */
function smallBody(number: number): object {
  const family = ['Lovelace', 'Hopper', 'Turing', 'Dijkstra', 'Liskov', 'Knuth', 'Perlman', 'Lamport']
  return {
    task: `Write the name as an index does, ${number}`,
    examples: family.flatMap((last) =>
      ['Ada', 'Grace', `Given${number}`].map((first) => ({ input: `${first} ${last}`, output: `${last}, ${first}` })),
    ),
    base_model: 'none',
    k_score_floor: 0.5,
  }
}
