/**
 * The store of captures on a durable Postgres: rows written per second by one process, for many tenants; a writing process
 * killed with SIGKILL again and again, after which every row that it acknowledged is in the table once and the chain
 * verifies; and lists and searches of many captures. Options: `--seconds`, `--kills`, `--rows`.
 */
import { openExport } from '../../core/gateway/captures/export/formats.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { newId, newTimedId } from '../../core/kernel/ids.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import { sumCalls } from '../../core/gateway/record/dashboard/sum-calls.ts'
import { signUp } from '../../db/accounts/across/sign-up/sign-up.ts'
import { countCalls } from '../../db/gateway/across/count-calls.ts'
import { indexCaptureTexts } from '../../db/gateway/across/keep-captures.ts'
import { eraseContent } from '../../db/gateway/captures/erase-content.ts'
import { listCaptures } from '../../db/gateway/captures/list-captures.ts'
import type { CaptureFilter } from '../../db/gateway/captures/read-columns.ts'
import { streamCaptures } from '../../db/gateway/captures/stream-captures.ts'
import { verifyCaptures } from '../../db/gateway/captures/verify-captures.ts'
import { openCaptureWriter } from '../../db/gateway/captures/writer/writer.ts'
import { readSums } from '../../db/gateway/sums/read-sums.ts'
import { openDatabase } from '../../db/kernel/database.ts'
import { systemOperation, type Operation } from '../../db/kernel/operation.ts'
import { loadSigningKeys } from '../../db/ledger/across/signing-keys.ts'
import { migrate } from '../../db/migrations/migrate.ts'
import { startStack } from '../../stack/stack.ts'
import { sendSql } from '../../test/support/db/send-sql.ts'
import { quantile, report, short } from '../harness/report.ts'
import { captureMaker } from './made-captures.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    kills: { type: 'string', default: '5' },
    rows: { type: 'string', default: '200000' },
  },
})
const SECONDS = Number(options.seconds)
const KILLS = Number(options.kills)
const ROWS = Number(options.rows)
const TENANTS = 20
const AT_ONCE = 64
const FORGOTTEN = 10_000

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
// Root's Postgres runs as another user, who has to pass through.
await chmod(dataDir, 0o711)
const folder = join(dataDir, 'captures')
const stack = await startStack({ dataDir, searchPath: process.env['PATH'] ?? '', log: () => undefined })
const db = await openDatabase({ url: stack.databaseUrl, poolSize: 8, masterKey: stack.masterKey })
const lines: { what: string; value: string; limit: string | number; ratio: string }[] = []
const say = (what: string, value: string | number, limit: string | number = ''): void => {
  lines.push({ what, value: String(value), limit, ratio: '' })
  console.log(`${what}: ${value}`)
}
try {
  await migrate(db)
  await throughput()
  await kills()
  await reads()
  await report('captures', lines)
} finally {
  await db.close()
  await stack.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function newTenant(): Promise<Operation> {
  const { tenant } = await signUp(db, {
    email: `${newId('req')}@example.test`,
    name: 'Benchmark',
    requestId: newId('req'),
    now: new Date(),
    limits: DEFAULT_LIMITS,
  })
  return systemOperation(db, { tenantId: tenant.id, name: 'bench', requestId: newId('req') })
}

async function openWriter() {
  const { current: signer } = await loadSigningKeys(db)
  const log = { info: () => undefined, warn: console.warn, error: console.error }
  return openCaptureWriter({
    db,
    signer,
    folder,
    limits: DEFAULT_LIMITS,
    takeRoom: () => undefined,
    now: () => new Date(),
    log,
  })
}

/** Writes for some seconds as many captures as are acknowledged, from 64 calls at once, for 20 tenants. */
async function throughput(): Promise<void> {
  const tenants = await Promise.all(Array.from({ length: TENANTS }, async () => await newTenant()))
  const writer = await openWriter()
  const make = captureMaker(1)
  // Made before: making a text costs more than writing it down.
  const made = Array.from({ length: 2000 }, () => make(''))
  const latencies: number[] = []
  const started = performance.now()
  let acknowledged = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      for (let n = i; performance.now() - started < SECONDS * 1000; n += AT_ONCE) {
        const capture = made[n % made.length]
        const tenant = tenants[n % TENANTS]
        if (capture === undefined || tenant === undefined) throw new Error('no capture')
        const fresh = aCopy(capture, tenant.tenantId)
        const at = performance.now()
        if (await writer.write(fresh, 'grouped')) acknowledged++
        latencies.push(performance.now() - at)
        // Twice the goal: a log that is filled faster than it is drained measures the disk alone.
        while (acknowledged > (performance.now() - started) * 6) await sleep(1)
      }
    }),
  )
  const inTime = writer.figures().committed
  const ended = performance.now()
  await writer.close()
  const drained = (performance.now() - started) / 1000
  const [row] = await sendSql<{ rows: number }>(db, 'select count(*) as rows from captures')
  if (row?.rows !== acknowledged) throw new Error(`${acknowledged} acknowledged, ${row?.rows} in the table`)
  say(`rows committed per second, ${SECONDS} s, indexes on`, short(inTime / ((ended - started) / 1000)), 3000)
  say('rows per second until all were committed', short(acknowledged / drained))
  say('acknowledged after, p50 / p99 ms', `${short(quantile(latencies, 0.5))} / ${short(quantile(latencies, 0.99))}`)
  for (const op of tenants.slice(0, 2)) {
    const found = await verifyCaptures(op, 'default')
    if (!found.ok) throw new Error(`the chain is broken: ${JSON.stringify(found)}`)
  }
}

function aCopy(capture: ReturnType<ReturnType<typeof captureMaker>>, tenantId: string): typeof capture {
  const at = new Date()
  return { ...capture, facts: { ...capture.facts, id: newTimedId('cap', at), at, tenantId } }
}

/** Kills a writing process some times; the next one takes its log over. */
async function kills(): Promise<void> {
  const op = await newTenant()
  const acknowledged = new Set<string>()
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawn(process.execPath, ['bench/gateway/capture-writer.ts'], {
      env: {
        ...process.env,
        BENCH_URL: stack.databaseUrl,
        BENCH_KEY: Buffer.from(stack.masterKey).toString('hex'),
        BENCH_FOLDER: folder,
        BENCH_TENANT: op.tenantId,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const printed = createInterface({ input: child.stdout })
    const first = once(printed, 'line')
    // The last line may be cut off in the middle.
    printed.on('line', (id) => id.length === 30 && acknowledged.add(id))
    const ended = Promise.all([once(child, 'exit'), once(printed, 'close')])
    await first
    await sleep(500 + ((kill * 397) % 1000))
    child.kill('SIGKILL')
    await ended
  }
  const writer = await openWriter()
  let missing = acknowledged.size
  for (let i = 0; i < 100 && missing > 0; i++) {
    await sleep(200)
    const [row] = await sendSql<{ found: number }>(
      db,
      'select count(*) as found from captures where tenant_id = $1 and id = any($2)',
      [op.tenantId, [...acknowledged]],
    )
    missing = acknowledged.size - (row?.found ?? 0)
  }
  await writer.close()
  const [twice] = await sendSql<{ rows: number; ids: number }>(
    db,
    'select count(*) as rows, count(distinct id) as ids from captures where tenant_id = $1',
    [op.tenantId],
  )
  const verified = await verifyCaptures(op, 'default')
  say(`acknowledged rows missing after ${KILLS} kills, of ${acknowledged.size}`, String(missing), 0)
  say('rows stored twice', String((twice?.rows ?? 0) - (twice?.ids ?? 0)), 0)
  say('the chain verifies', String(verified.ok), 'true')
}

/** Fills one namespace and times its reads, the tenant's chain and forgetting. */
async function reads(): Promise<void> {
  const op = await newTenant()
  const writer = await openWriter()
  const make = captureMaker(2)
  const since = Date.now() - ROWS
  for (let i = 0; i < ROWS; i += 500) {
    const group = Array.from({ length: Math.min(500, ROWS - i) }, (_, n) => {
      const isRare = (i + n) % Math.ceil(ROWS / 20) === 0
      const capture = make(op.tenantId, new Date(since + i + n), isRare ? 'the needle in the haystack' : undefined)
      return (i + n) % 100 === 0 ? { ...capture, review: 'approved' as const } : capture
    })
    await writer.commit(group, db)
  }
  await writer.close()
  const indexing = performance.now()
  const indexed = await indexCaptureTexts(db, new AbortController().signal)
  say('texts indexed per second', short(indexed / ((performance.now() - indexing) / 1000)))
  await sendSql(db, 'vacuum analyze')
  const timed = async (what: string, filter: CaptureFilter, limit: number, countsTotal = false): Promise<void> => {
    const times: number[] = []
    let items = 0
    for (let i = 0; i < 15; i++) {
      const started = performance.now()
      items = (await listCaptures(op, filter, { limit: 50, countsTotal })).items.length
      times.push(performance.now() - started)
    }
    say(
      `${what} of ${ROWS}, p50 / longest ms (${items} found)`,
      `${short(quantile(times, 0.5))} / ${short(Math.max(...times))}`,
      limit,
    )
  }
  await timed('list', {}, 100, true)
  await timed('list, approved', { statuses: ['approved'] }, 100)
  await timed(
    'list, approved of a namespace in a time',
    { namespace: 'default', statuses: ['approved'], from: new Date(since), to: new Date() },
    100,
  )
  await timed('search, rare', { q: 'needle in the hay' }, 300)
  await timed('search, frequent', { q: 'user: ' }, 300)
  await timed('search, absent', { q: 'no such words at all' }, 300)
  const counting = performance.now()
  const counted = await countCalls(db, new AbortController().signal)
  say('calls added to the sums by day, per second', short(counted / ((performance.now() - counting) / 1000)))
  const sums: number[] = []
  for (let i = 0; i < 15; i++) {
    const started = performance.now()
    const { days, measures } = await readSums(op, { since: new Date(since - 86_400_000) })
    const { all } = sumCalls(days, measures)
    if (all.calls !== ROWS) throw new Error(`${all.calls} calls of ${ROWS}`)
    sums.push(performance.now() - started)
  }
  say(
    `sums of the dashboard over ${ROWS}, p50 / longest ms`,
    `${short(quantile(sums, 0.5))} / ${short(Math.max(...sums))}`,
    100,
  )
  const streaming = performance.now()
  let bytes = 0
  let rows = 0
  const file = openExport('jsonl')
  for await (const captures of streamCaptures(op, {})) {
    bytes += file.batch(captures).length
    rows += captures.length
  }
  const seconds = (performance.now() - streaming) / 1000
  say(`export, rows per second (${short(bytes / 1e6)} MB)`, short(rows / seconds), 50_000)
  const verifying = performance.now()
  const verified = await verifyCaptures(op, 'default')
  say('rows verified per second', short(verified.chainLength / ((performance.now() - verifying) / 1000)))
  if (!verified.ok) throw new Error(`the chain is broken: ${JSON.stringify(verified)}`)
  const ids = await sendSql<{ id: string }>(db, 'select id from captures where tenant_id = $1 order by id limit $2', [
    op.tenantId,
    FORGOTTEN,
  ])
  const forgetting = performance.now()
  for (let i = 0; i < ids.length; i += 1000) {
    const some = ids.slice(i, i + 1000).map(({ id }) => id)
    await op.write(async (tx) => await eraseContent(tx, op.tenantId, { ids: some, at: new Date() }))
  }
  say(`forgetting ${ids.length}, s`, short((performance.now() - forgetting) / 1000), 10)
  const left = await verifyCaptures(op, 'default')
  say('the chain verifies after that', String(left.ok), 'true')
}
