/**
 * The cost of a credential: `/v1/whoami`, which does nothing but pass the guard, against a public route, both at 500
 * requests a second, with 1,000 keys that are known already and with as many sessions; and how soon a second API process
 * refuses a key that the first one revoked. Limits: 1 ms at the median, 5 ms at the 99th percentile, 250 ms.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { z } from 'zod'
import { newId } from '../../core/kernel/ids.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { openDatabase, type Database } from '../../db/kernel/database.ts'
import { mintKey } from '../../db/accounts/keys/key-text.ts'
import { systemOperation } from '../../db/kernel/operation.ts'
import { openSession } from '../../db/accounts/sessions/open-session.ts'
import { createTenant } from '../../db/accounts/across/sign-up/create-tenant.ts'
import { startApiProcess, type ApiProcess } from '../../test/support/stack/api-process.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'
import { writeAll } from '../../test/support/db/send-sql.ts'

const KEYS = 1000
const RATE = 500
/** More than a window of the limit on calls per tenant, so that each tenant is known to it. */
const WARM_SECONDS = 12
const SECONDS = 30
const REVOCATIONS = 50
const AT_ONCE = 8

const Minted = z.object({ id: z.string(), api_key: z.string() })

const service = await startBenchService({ limits: RAISED_LIMITS })
const { databaseUrl, masterKey } = service
const db = await openDatabase({ url: databaseUrl, poolSize: AT_ONCE, masterKey })
const first = new Pool(service.apiUrl, { connections: 64, pipelining: 1 })
let other: ApiProcess | undefined
try {
  const callers = await createCallers(db, KEYS)
  const keys = callers.map(({ key }) => ({ 'x-api-key': key }))
  const sessions = callers.map(({ cookie }) => ({ cookie }))
  await warm(first, [...keys, ...sessions])
  await atRate(first, keys, WARM_SECONDS)
  const before = await guardTotals(first)
  const { open, guarded } = await atRate(first, keys, SECONDS)
  const after = await guardTotals(first)
  const bySession = await atRate(first, sessions, SECONDS)
  other = await startApiProcess({
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    SVC_MASTER_KEY: masterKey.toString('hex'),
  })
  const seenMs = await revocations(first, new Pool(other.url, { connections: 4 }), callers[0]?.key ?? '')
  const over = (q: number): number => quantile(guarded, q) - quantile(open, q)
  const overBySession = (q: number): number => quantile(bySession.guarded, q) - quantile(bySession.open, q)
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
    {
      what: `p50 ms over a public route, ${RATE}/s, ${KEYS} sessions`,
      value: short(overBySession(0.5)),
      limit: 1,
      ratio: short(overBySession(0.5)),
    },
    {
      what: 'p99 ms over a public route, sessions',
      value: short(overBySession(0.99)),
      limit: 5,
      ratio: short(overBySession(0.99) / 5),
    },
    {
      what: 'mean ms inside the guard, keys',
      value: short(((after.sumS - before.sumS) * 1000) / (after.count - before.count)),
      limit: '',
      ratio: '',
    },
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

/** A key of a tenant of its own, and the cookie of a session that it opened. */
interface Caller {
  readonly key: string
  readonly cookie: string
}

/** Headers that carry a credential. */
type Credential = Readonly<Record<string, string>>

/** Makes tenants of one key and one session each, behind the routes: signing up is bounded per address. */
async function createCallers(store: Database, count: number): Promise<readonly Caller[]> {
  const callers: Caller[] = []
  const create = async (): Promise<void> => {
    const minted = await mintKey(store.hashSlots, 'ks')
    const requestId = newId('req')
    const { tenant, memberId, keyId } = await writeAll(store, async (tx) =>
      createTenant(tx, store, {
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
      }),
    )
    const op = systemOperation(store, { tenantId: tenant.id, name: 'bench', requestId })
    const { token } = await openSession(op, { keyId, memberId, authMethod: 'key', limits: DEFAULT_LIMITS })
    callers.push({ key: minted.apiKey, cookie: `svc_session=${token}` })
  }
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - done) }, create))
  }
  return callers
}

/** Shows each credential once, so that no hash is left to be computed and no session to be read. */
async function warm(pool: Pool, credentials: readonly Credential[]): Promise<void> {
  for (let done = 0; done < credentials.length; done += AT_ONCE) {
    const some = credentials.slice(done, done + AT_ONCE)
    await Promise.all(some.map(async (credential) => await get(pool, '/v1/whoami', credential)))
  }
}

async function get(pool: Pool, path: string, headers: Credential): Promise<number> {
  const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
  await body.dump()
  return statusCode
}

/** Milliseconds that calls took, from when they were due: a stall of the server is not hidden by a stalled sender. */
interface Latencies {
  readonly open: number[]
  readonly guarded: number[]
}

/** Makes both kinds of call in turns, each at the rate, so that what else the machine does falls on both alike. */
async function atRate(pool: Pool, credentials: readonly Credential[], seconds: number): Promise<Latencies> {
  const latencies: Latencies = { open: [], guarded: [] }
  const calls: Promise<void>[] = []
  const start = performance.now()
  const once = async (into: number[], due: number, path: string, credential: Credential = {}): Promise<void> => {
    const status = await get(pool, path, credential)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
    into.push(performance.now() - due)
  }
  for (let index = 0; index < RATE * seconds; index++) {
    const dueGuarded = start + (index * 1000) / RATE
    const dueOpen = dueGuarded + 500 / RATE
    await until(dueGuarded)
    calls.push(once(latencies.guarded, dueGuarded, '/v1/whoami', credentials[index % credentials.length]))
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
    if ((await get(elsewhere, '/v1/whoami', { 'x-api-key': key })) !== 200) throw new Error('the key is not known')
    const revoked = await pool.request({
      method: 'DELETE',
      path: `/v1/account/scoped-keys/${id}`,
      headers: { 'x-api-key': owner },
    })
    await revoked.body.dump()
    const revokedAt = performance.now()
    while ((await get(elsewhere, '/v1/whoami', { 'x-api-key': key })) === 200) await sleep(1)
    seenMs.push(performance.now() - revokedAt)
  }
  await elsewhere.close()
  return seenMs
}

/** Reads the calls and the time of the guard, as the service itself counts them. */
async function guardTotals(pool: Pool): Promise<{ readonly sumS: number; readonly count: number }> {
  const { body } = await pool.request({ method: 'GET', path: '/metrics' })
  const text = await body.text()
  const read = (name: string): number =>
    Number(new RegExp(`^svc_guard_duration_seconds_${name} (\\S+)$`, 'm').exec(text)?.[1])
  return { sumS: read('sum'), count: read('count') }
}
