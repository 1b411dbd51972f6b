/**
 * The measured caller of a flood, in a thread of its own, so that the sending of the flood does not delay its clock:
 * `/v1/run` at a fixed rate until it gets a message to end, then reports its latencies.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { Pool } from 'undici'
import { z } from 'zod'

const RATE = 50

const { apiUrl, key, conceptId } = z
  .object({ apiUrl: z.string(), key: z.string(), conceptId: z.string() })
  .parse(workerData)
const pool = new Pool(apiUrl, { connections: 8, pipelining: 1 })
let latenciesMs: number[] = []
let failures = 0
let serial = 0
let isOver = false

async function once(due: number): Promise<void> {
  const { statusCode, body } = await pool.request({
    method: 'POST',
    path: '/v1/run',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ concept_id: conceptId, input: `Grace Hopper${serial++}`, use_cache: false }),
  })
  await body.dump()
  if (statusCode !== 200) failures++
  latenciesMs.push(performance.now() - due)
}

parentPort?.on('message', (message: 'figures' | 'end') => {
  parentPort?.postMessage({ latenciesMs, failures })
  latenciesMs = []
  failures = 0
  if (message === 'end') isOver = true
})
const start = performance.now()
for (let i = 0; !isOver; i++) {
  const due = start + (i * 1000) / RATE
  const waitMs = due - performance.now()
  if (waitMs > 0) await sleep(waitMs)
  once(due).catch(() => failures++)
}
await pool.close()
process.exit(0)
