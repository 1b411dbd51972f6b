/**
 * `/v1/run` on a program recipe, receipts on: throughput with the response cache off and on, and latency at a fixed
 * 200 requests a second. Limits: 2,000 requests/s, p99 20 ms; a cache hit is cheaper than a miss.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { signUpClient, type BenchClient } from '../harness/client.ts'
import { compileRecipe, runAtFullSpeed } from '../harness/recipe.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'

const SECONDS = 8
const CONNECTIONS = 32
const RATE = 200

let serial = 0

const service = await startBenchService({ limits: RAISED_LIMITS })
const client = await signUpClient(service.apiUrl, 'free', CONNECTIONS)
try {
  const conceptId = await compileRecipe(client)
  const fullSpeed = async (useCache: boolean, seconds: number) =>
    await runAtFullSpeed(client, { connections: CONNECTIONS, seconds, bodyOf: () => bodyOf(conceptId, useCache) })
  await fullSpeed(false, 2)
  const miss = await fullSpeed(false, SECONDS)
  const hit = await fullSpeed(true, SECONDS)
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

function bodyOf(conceptId: string, useCache: boolean): object {
  return { concept_id: conceptId, input: useCache ? 'Grace Hopper' : `Grace Hopper${serial++}`, use_cache: useCache }
}

async function runOnce(caller: BenchClient, conceptId: string): Promise<void> {
  const answer = await caller.call('POST', '/v1/run', bodyOf(conceptId, false))
  if (answer.status !== 200) throw new Error(`run answered ${answer.status}: ${JSON.stringify(answer.body)}`)
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
    calls.push(runOnce(caller, conceptId).then(() => void latenciesMs.push(performance.now() - due)))
  }
  await Promise.all(calls)
  return latenciesMs
}
