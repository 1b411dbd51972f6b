/**
 * The audit ledger of one tenant on a durable Postgres: lines appended by 32 writers at once, each in a transaction of
 * its own with the change that it tells of, all of them chained; and a ledger of a million lines verified. Limits: 1,000
 * lines/s appended and chained, 100,000 lines/s verified; and how long the event loop is held up meanwhile.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { CHECKPOINT_EVERY } from '../../core/ledger/chain/checkpoint.ts'
import type { ChainHead } from '../../core/ledger/chain/ledger.ts'
import { newId } from '../../core/kernel/ids.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { snoozeAction } from '../../db/overview/account/snoozes.ts'
import { addCheckpoint } from '../../db/ledger/audit/add-checkpoint.ts'
import { auditKeys } from '../../db/ledger/audit/audit-key.ts'
import { insertChained } from '../../db/ledger/audit/chain/insert-chained.ts'
import { verifyAudit } from '../../db/ledger/audit/verify-audit.ts'
import { openDatabase, type Database } from '../../db/kernel/database.ts'
import { migrate } from '../../db/migrations/migrate.ts'
import { tenantOf, systemOperation, type Operation } from '../../db/kernel/operation.ts'
import { signUp } from '../../db/accounts/across/sign-up/sign-up.ts'
import { startStack } from '../../stack/stack.ts'
import { quantile, report, short } from '../harness/report.ts'
import { sendSql } from '../../test/support/db/send-sql.ts'

const { values: options } = parseArgs({
  options: { entries: { type: 'string', default: '1000000' }, seconds: { type: 'string', default: '10' } },
})
const ENTRIES = Number(options.entries)
const SECONDS = Number(options.seconds)
const WRITERS = 32

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
// Root's Postgres runs as another user, who has to pass through.
await chmod(dataDir, 0o711)
const stack = await startStack({ dataDir, searchPath: process.env['PATH'] ?? '', log: () => undefined })
const db = await openDatabase({ url: stack.databaseUrl, poolSize: WRITERS + 8, masterKey: stack.masterKey })
try {
  await migrate(db)
  await append(await newTenant(), 1)
  const { perSecond, latenciesMs } = await append(await newTenant(), SECONDS)
  const filled = await newTenant()
  await fill(filled, ENTRIES)
  const started = performance.now()
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const verified = await verifyAudit(filled)
  delay.disable()
  const verifiedPerSecond = verified.total / ((performance.now() - started) / 1000)
  if (!verified.ok) throw new Error(`the ledger is broken: ${JSON.stringify(verified.breaks)}`)
  await report('ledger', [
    {
      what: `lines appended and chained per second, ${WRITERS} writers`,
      value: short(perSecond),
      limit: 1000,
      ratio: short(perSecond / 1000),
    },
    { what: 'append p99 ms, chained', value: short(quantile(latenciesMs, 0.99)), limit: '', ratio: '' },
    {
      what: `lines verified per second, of ${verified.total}`,
      value: short(verifiedPerSecond),
      limit: 100_000,
      ratio: short(verifiedPerSecond / 100_000),
    },
    { what: 'event loop held up meanwhile, p99 ms', value: short(delay.percentile(99) / 1e6), limit: '', ratio: '' },
    {
      what: 'event loop held up meanwhile, longest ms',
      value: short(delay.max / 1e6),
      limit: '',
      ratio: '',
    },
  ])
} finally {
  await db.close()
  await stack.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function newTenant(): Promise<Operation> {
  const id = newId('req')
  const { tenant } = await signUp(db, {
    email: `${id.slice(4)}@example.test`,
    name: 'bench',
    requestId: id,
    now: new Date(),
    limits: DEFAULT_LIMITS,
  })
  return systemOperation(db, { tenantId: tenant.id, name: 'bench', requestId: id })
}

async function append(op: Operation, seconds: number): Promise<{ perSecond: number; latenciesMs: readonly number[] }> {
  const latenciesMs: number[] = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      while (performance.now() - started < seconds * 1000) {
        const begun = performance.now()
        await snoozeAction(op, { dismissKey: `bench:${writer}`, days: 14, limits: DEFAULT_LIMITS })
        latenciesMs.push(performance.now() - begun)
      }
    }),
  )
  const elapsedS = (performance.now() - started) / 1000
  // Timed up to here, and chained up to here: a line that waits would not be among those that were counted.
  const { ok, total } = await verifyAudit(op)
  if (!ok || total !== latenciesMs.length + 1)
    throw new Error(`${latenciesMs.length} lines written, ${total} in the chain`)
  return { perSecond: latenciesMs.length / elapsedS, latenciesMs }
}

/** Lines as a year of work leaves them, with their checkpoints. */
async function fill(op: Operation, count: number): Promise<void> {
  const keys = await auditKeys(db, op)
  const begin = Date.now() - count * 1000
  for (let done = 0; done < count; done += CHECKPOINT_EVERY) {
    const entries = Array.from({ length: Math.min(CHECKPOINT_EVERY, count - done) }, (_, i) => ({
      id: newId('aud'),
      tenantId: op.tenantId,
      at: new Date(begin + (done + i) * 1000),
      actor: `key:${newId('key')}`,
      action: 'compile.created',
      target: newId('cmp'),
      requestId: newId('req'),
      payload: { base_model: 'none', examples_n: done + i, job_id: newId('cmp') },
      isUnchanged: true,
    }))
    const head = await fillBatch(op.db, op.tenantId, keys, entries)
    await addCheckpoint(db, { tenantId: op.tenantId, head, now: new Date() })
  }
  await sendSql(db, 'vacuum analyze audit_entries')
}

async function fillBatch(
  database: Database,
  tenantId: string,
  keys: Awaited<ReturnType<typeof auditKeys>>,
  entries: Parameters<typeof insertChained>[2]['entries'],
): Promise<ChainHead> {
  return await tenantOf(database, tenantId).write(async (tx) => {
    const [from] = await sendSql<ChainHead>(
      tx,
      'select seq, hash as event_hash from audit_heads where tenant_id = $1 for no key update',
      [tenantId],
    )
    if (from === undefined) throw new Error('no head')
    return insertChained(tx, keys, { tenantId, from, entries })
  })
}
