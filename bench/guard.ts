/**
 * What a credential costs: `/v1/whoami`, which does nothing but pass the guard, against a public route, both at 500
 * requests a second with 1,000 keys that are known already; and how soon a second API process refuses a key that the
 * first one revoked. Limits: 1 ms at the median, 5 ms at the 99th percentile, 250 ms.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Pool } from 'undici'
import { z } from 'zod'
import { startServer, type RunningServer } from '../api/server.ts'
import { newId } from '../core/ids.ts'
import { DEFAULT_LIMITS } from '../core/tenancy/limits.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { mintKey } from '../db/keys/key-text.ts'
import { createTenant } from '../db/tenants/create-tenant.ts'
import { inTransaction } from '../db/transaction.ts'
import { quantile, report, short } from './harness/report.ts'
import { startBenchService } from './harness/service.ts'

const KEYS = 1000
const RATE = 500
/** More than a window of the limit on calls per tenant, so that each tenant is known to it. */
const WARM_SECONDS = 12
const SECONDS = 30
const REVOCATIONS = 50
const AT_ONCE = 8

const Minted = z.object({ id: z.string(), api_key: z.string() })

const service = await startBenchService({})
const { databaseUrl, masterKey } = service
const db = await openDatabase({ url: databaseUrl, poolSize: AT_ONCE, masterKey })
const first = new Pool(service.apiUrl, { connections: 64, pipelining: 1 })
let other: RunningServer | undefined
try {
  const keys = await createKeys(db, KEYS)
  await warm(first, keys)
  await atRate(first, keys, WARM_SECONDS)
  const { open, guarded } = await atRate(first, keys, SECONDS)
  other = await startServer(serverOptions(databaseUrl, masterKey))
  const seenMs = await revocations(first, new Pool(other.url, { connections: 4 }), keys[0] ?? '')
  const over = (q: number): number => quantile(guarded, q) - quantile(open, q)
  await report('guard', [
    {
      what: `p50 ms over a public route, ${RATE}/s, ${KEYS} keys`,
      value: short(over(0.5)),
      limit: 1,
      ratio: short(over(0.5)),
    },
    { what: 'p99 ms over a public route', value: short(over(0.99)), limit: 5, ratio: short(over(0.99) / 5) },
    { what: 'p50 ms, guarded', value: short(quantile(guarded, 0.5)), limit: '', ratio: '' },
    { what: 'p99 ms, guarded', value: short(quantile(guarded, 0.99)), limit: '', ratio: '' },
    { what: 'mean ms inside the guard', value: short(await meanInGuard(first)), limit: '', ratio: '' },
    {
      what: `longest ms until a second process refuses, ${REVOCATIONS} revocations`,
      value: short(Math.max(...seenMs)),
      limit: 250,
      ratio: short(Math.max(...seenMs) / 250),
    },
  ])
} finally {
  await other?.stop()
  await first.close()
  await db.close()
  await service.stop()
}

/** Makes tenants of one key each, behind the routes: signing up is bounded per address. */
async function createKeys(store: Database, count: number): Promise<readonly string[]> {
  const keys: string[] = []
  const create = async (): Promise<void> => {
    const minted = await mintKey(store.hashSlots, 'ks')
    const requestId = newId('req')
    await inTransaction(store, null, async (tx) => {
      await createTenant(tx, store, {
        kind: 'user',
        email: `${requestId.slice(4)}@example.test`,
        isEmailVerified: false,
        pendingPlan: null,
        quotaOverride: null,
        expiresAt: null,
        key: { minted, kind: 'primary' },
        actor: { kind: 'system', name: 'bench' },
        requestId,
        now: new Date(),
      })
    })
    keys.push(minted.apiKey)
  }
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, create))
  }
  return keys
}

/** Shows each key once, so that no hash is left to be computed. */
async function warm(pool: Pool, keys: readonly string[]): Promise<void> {
  for (let done = 0; done < keys.length; done += AT_ONCE) {
    await Promise.all(keys.slice(done, done + AT_ONCE).map(async (key) => await get(pool, '/v1/whoami', key)))
  }
}

async function get(pool: Pool, path: string, key: string | undefined): Promise<number> {
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path,
    headers: key === undefined ? {} : { 'x-api-key': key },
  })
  await body.dump()
  return statusCode
}

/** Milliseconds that calls took, from when they were due: a stall of the server is not hidden by a stalled sender. */
interface Latencies {
  readonly open: number[]
  readonly guarded: number[]
}

/** Makes both kinds of call in turns, each at the rate, so that what else the machine does falls on both alike. */
async function atRate(pool: Pool, keys: readonly string[], seconds: number): Promise<Latencies> {
  const latencies: Latencies = { open: [], guarded: [] }
  const calls: Promise<void>[] = []
  const start = performance.now()
  const once = async (into: number[], due: number, path: string, key?: string): Promise<void> => {
    const status = await get(pool, path, key)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    into.push(performance.now() - due)
  }
  for (let index = 0; index < RATE * seconds; index++) {
    const dueGuarded = start + (index * 1000) / RATE
    const dueOpen = dueGuarded + 500 / RATE
    await until(dueGuarded)
    calls.push(once(latencies.guarded, dueGuarded, '/v1/whoami', keys[index % keys.length]))
    await until(dueOpen)
    calls.push(once(latencies.open, dueOpen, '/v1/gateway/health'))
  }
  await Promise.all(calls)
  return latencies
}

async function until(due: number): Promise<void> {
  const waitMs = due - performance.now()
  if (waitMs > 0) await sleep(waitMs)
}

/** Milliseconds from the answer to a revocation until the other process refuses the key, for each of some keys. */
async function revocations(pool: Pool, elsewhere: Pool, owner: string): Promise<readonly number[]> {
  const seenMs: number[] = []
  for (let index = 0; index < REVOCATIONS; index++) {
    const { body } = await pool.request({
      method: 'POST',
      path: '/v1/account/scoped-keys',
      headers: { 'x-api-key': owner, 'content-type': 'application/json' },
      body: JSON.stringify({ scopes: ['account:read'] }),
    })
    const { id, api_key: key } = Minted.parse(await body.json())
    if ((await get(elsewhere, '/v1/whoami', key)) !== 200) throw new Error('the key is not known')
    const revoked = await pool.request({
      method: 'DELETE',
      path: `/v1/account/scoped-keys/${id}`,
      headers: { 'x-api-key': owner },
    })
    await revoked.body.dump()
    const revokedAt = performance.now()
    while ((await get(elsewhere, '/v1/whoami', key)) === 200) await sleep(1)
    seenMs.push(performance.now() - revokedAt)
  }
  await elsewhere.close()
  return seenMs
}

/** Milliseconds that calls have spent in the guard on average, as the service itself counts them. */
async function meanInGuard(pool: Pool): Promise<number> {
  const { body } = await pool.request({ method: 'GET', path: '/metrics' })
  const text = await body.text()
  const read = (name: string): number =>
    Number(new RegExp(`^svc_guard_duration_seconds_${name} (\\S+)$`, 'm').exec(text)?.[1])
  return (read('sum') / read('count')) * 1000
}

/** A second API process in all but the process: it shares nothing with the first but Postgres. */
function serverOptions(url: string, key: Buffer): Parameters<typeof startServer>[0] {
  return {
    host: '127.0.0.1',
    port: 0,
    databaseUrl: url,
    temporal: { address: '127.0.0.1:1', namespace: 'none', codecKey: undefined },
    settings: {
      region: 'bench',
      version: '0.0.0',
      git: 'unknown',
      publicUrl: undefined,
      isProduction: false,
      isInviteOnly: false,
      trustedProxyHops: 0,
      metricsToken: undefined,
      masterKey: key,
      oldMasterKeys: [],
      adminTenants: new Set(),
      oauth: {},
      isMailConfigured: false,
      allowsPrivateEgress: false,
      baseFolders: [],
    },
    limits: DEFAULT_LIMITS,
    log: pino({ level: 'silent' }),
  }
}
