/**
 * `/v1/run` on a program recipe, receipts on: throughput with the response cache off and on, and latency at a fixed
 * 200 requests a second. Limits: 2,000 requests/s, p99 20 ms; a cache hit is cheaper than a miss.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { signUpClient, type BenchClient } from '../harness/client.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'

const SECONDS = 8
const CONNECTIONS = 32
const RATE = 200

const Job = z.object({ status: z.string(), concept_id: z.string() })
let serial = 0

const service = await startBenchService({ limits: RAISED_LIMITS })
const client = await signUpClient(service.apiUrl, 'free', CONNECTIONS)
try {
  const conceptId = await compileRecipe(client)
  await fullSpeed(client, conceptId, false, 2)
  const miss = await fullSpeed(client, conceptId, false, SECONDS)
  const hit = await fullSpeed(client, conceptId, true, SECONDS)
  const paced = await atRate(client, conceptId, RATE, SECONDS)
  await report('run', [
    { what: 'cache off, requests/s', value: short(miss), limit: 2000, ratio: short(miss / 2000) },
    { what: 'cache hits, requests/s', value: short(hit), limit: short(miss), ratio: short(hit / miss) },
    {
      what: `p50 ms at ${RATE}/s`,
      value: short(quantile(paced, 0.5)),
      limit: 20,
      ratio: short(quantile(paced, 0.5) / 20),
    },
    {
      what: `p99 ms at ${RATE}/s`,
      value: short(quantile(paced, 0.99)),
      limit: 20,
      ratio: short(quantile(paced, 0.99) / 20),
    },
  ])
} finally {
  await client.close()
  await service.stop()
}

async function compileRecipe(caller: BenchClient): Promise<string> {
  const people = ['Ada Lovelace', 'Grace Hopper', 'Alan Turing', 'Edsger Dijkstra', 'Barbara Liskov', 'Donald Knuth']
  const examples = people.map((input) => {
    const [first = '', last = ''] = input.split(' ')
    return { input, output: `${last}, ${first.charAt(0)}.` }
  })
  const answer = await caller.call('POST', '/v1/compile', {
    task: 'Last name, first initial',
    examples,
    k_score_floor: 0,
  })
  if (answer.status !== 200) throw new Error(`compile answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return Job.parse(answer.body).concept_id
}

async function runOnce(caller: BenchClient, conceptId: string, useCache: boolean): Promise<void> {
  const input = useCache ? 'Grace Hopper' : `Grace Hopper${serial++}`
  const answer = await caller.call('POST', '/v1/run', { concept_id: conceptId, input, use_cache: useCache })
  if (answer.status !== 200) throw new Error(`run answered ${answer.status}: ${JSON.stringify(answer.body)}`)
}

async function fullSpeed(caller: BenchClient, conceptId: string, useCache: boolean, seconds: number): Promise<number> {
  const start = performance.now()
  const end = start + seconds * 1000
  let done = 0
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) {
        await runOnce(caller, conceptId, useCache)
        done++
      }
    }),
  )
  return done / ((performance.now() - start) / 1000)
}

async function atRate(caller: BenchClient, conceptId: string, rate: number, seconds: number): Promise<number[]> {
  const latenciesMs: number[] = []
  const calls: Promise<void>[] = []
  const start = performance.now()
  for (let i = 0; i < rate * seconds; i++) {
    const due = start + (i * 1000) / rate
    const waitMs = due - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    // Latency counts from when the call was due, so that a stall of the server is not hidden by a stalled sender.
    calls.push(runOnce(caller, conceptId, false).then(() => void latenciesMs.push(performance.now() - due)))
  }
  await Promise.all(calls)
  return latenciesMs
}
