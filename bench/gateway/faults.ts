/**
 * Calls through the gateway to an upstream that fails in every way, mixed: each has to end with the right status, an error
 * in the caller's dialect, and one capture with the right outcome; afterwards no connection, reservation of a budget or
 * unit of the quota is left over. Options: `--calls`, `--at-once`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { Pool } from 'undici'
import { z } from 'zod'
import { signUpClient } from '../harness/client.ts'
import { report } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'
import { FAULTS, startFaultyUpstream, type Fault } from './faulty-upstream.ts'

const { values: options } = parseArgs({
  options: { calls: { type: 'string', default: '10000' }, 'at-once': { type: 'string', default: '64' } },
})
const CALLS = Number(options.calls)
/** Time that a call to a slow provider allows it, milliseconds. */
const SLOW_MS = '1500'
const BUDGET_USD = 10_000
/** Longest time until the last captures are committed and idle connections end, milliseconds. */
const SETTLED_MS = 60_000
const ErrorBody = z.object({ error: z.object({ message: z.string(), code: z.string() }) })

const upstream = await startFaultyUpstream()
const service = await startBenchService({
  limits: { ...RAISED_LIMITS, gateway_calls_per_tenant: 5000, gateway_connections: 1000, connections_per_ip: 1e6 },
  env: { OPENAI_API_KEY: 'sk-bench', SVC_UPSTREAM_OPENAI_BASE: upstream.url },
})
const client = await signUpClient(service.apiUrl)
const pool = new Pool(service.apiUrl, { connections: Number(options['at-once']), bodyTimeout: 0, headersTimeout: 0 })
const database = new pg.Client({ connectionString: service.databaseUrl })
const wrong = new Map<string, number>()
const note = (what: string): void => void wrong.set(what, (wrong.get(what) ?? 0) + 1)
try {
  await database.connect()
  // With a budget each call reserves the most that it can cost.
  const { statusCode } = await pool.request({
    method: 'PUT',
    path: '/v1/gateway/namespaces/default',
    headers: { 'content-type': 'application/json', 'x-api-key': client.key },
    body: JSON.stringify({ budget_usd_month: BUDGET_USD }),
  })
  if (statusCode !== 200) throw new Error(`the budget was answered ${statusCode}`)
  const deck = Object.entries(FAULTS).flatMap((entry) => Array.from({ length: entry[1].share }, () => entry))
  const asked = new Map<string, number>()
  let next = 0
  await Promise.all(
    Array.from({ length: Number(options['at-once']) }, async () => {
      while (next < CALLS) {
        // Steps that share no factor with the deck mix the faults.
        const drawn = deck[(next++ * 37) % deck.length]
        if (drawn === undefined) throw new Error('no fault')
        const [name, fault] = drawn
        asked.set(fault.outcome, (asked.get(fault.outcome) ?? 0) + 1)
        await callOnce(name, fault).catch((error: unknown) => note(`${name}: ${String(error)}`))
      }
    }),
  )
  const outcomes = await settled()
  const rows = [...asked].map(([outcome, calls]) => ({
    what: `captures ${outcome}`,
    value: outcomes.get(outcome) ?? 0,
    limit: calls,
  }))
  const results = [
    { what: 'calls', value: CALLS, limit: '' },
    { what: 'wrong answers', value: [...wrong.values()].reduce((sum, count) => sum + count, 0), limit: 0 },
    ...rows,
    { what: 'captures beyond one a call', value: [...outcomes.values()].reduce((a, b) => a + b, 0) - CALLS, limit: 0 },
    { what: 'connections to the upstream afterwards', value: await upstream.open(), limit: 0 },
    { what: 'reservations afterwards', value: await count('select count(*) from budget_reservations'), limit: 0 },
    {
      what: 'units of the quota, each answered call one',
      value: await count(
        `select coalesce(sum(used_units), 0) - coalesce((select sum(granted_units - spent_units) from quota_leases), 0)
          from quota_periods`,
      ),
      limit: (asked.get('whole') ?? 0) + (asked.get('interrupted') ?? 0),
    },
  ]
  await report('gateway-faults', results)
  if (results.some(({ value, limit }) => limit !== '' && value !== limit)) process.exitCode = 1
  for (const [what, times] of wrong) console.log(`${times} times: ${what}`)
} finally {
  await database.end()
  await pool.close()
  await client.close()
  await service.stop()
  upstream.stop()
}

async function callOnce(name: string, { statuses, outcome, isStreamed = false }: Fault): Promise<void> {
  const messages = [{ role: 'user', content: `Where is my parcel? (fault: ${name})` }]
  const answer = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      'content-type': 'application/json',
      'x-api-key': client.key,
      ...(name.startsWith('slow-') && { 'x-svc-timeout-ms': SLOW_MS }),
    },
    body: JSON.stringify({ model: 'gpt-4o-mini', messages, ...(isStreamed && { stream: true }) }),
  })
  const text = await answer.body.text()
  if (!statuses.includes(answer.statusCode)) note(`${name}: status ${answer.statusCode}`)
  else if (outcome === 'interrupted') {
    if (text.includes('[DONE]') || !text.includes('"error"')) note(`${name}: ended like a success`)
  } else if (answer.statusCode !== 200 && !ErrorBody.safeParse(jsonOf(text)).success) note(`${name}: no error`)
}

/** The value of a JSON text; undefined for other text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Waits until every call has its capture and the connections have ended; returns the captures by outcome. */
async function settled(): Promise<ReadonlyMap<string, number>> {
  for (let waitedMs = 0; ; waitedMs += 500) {
    const { rows } = await database.query<{ outcome: string; calls: string }>(
      'select outcome, count(*) as calls from captures group by outcome',
    )
    const found = new Map(rows.map(({ outcome, calls }) => [outcome, Number(calls)]))
    const sum = [...found.values()].reduce((a, b) => a + b, 0)
    if (waitedMs >= SETTLED_MS || (sum >= CALLS && (await upstream.open()) === 0)) return found
    await sleep(500)
  }
}

async function count(statement: string): Promise<number> {
  const { rows } = await database.query<Record<string, string>>(statement)
  return Number(Object.values(rows[0] ?? {})[0])
}
