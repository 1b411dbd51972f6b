import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { z } from 'zod'
import { quickReconcile } from '../../../test/support/workflows/quick-reconcile.ts'
import { signUpClient, type BenchClient } from '../../harness/client.ts'
import { startBenchService, type BenchService } from '../../harness/service.ts'
import type { Attack, AttackFigure } from '../attack.ts'

const execute = promisify(execFile)
const MB = 1024 * 1024
const DISK_MB = 500
const UPLOAD_BYTES = 45 * MB
/** Size of a call that is refused on the full disk, and accepted when there is room again. */
const PROBE_BYTES = 12 * MB
const ATTACK_MS = 15_000
const FILL_MS = 30_000
/** Ticks of the reconciler, which come every two seconds here, and autovacuum. */
const BACK_MS = 60_000
/** Bytes that Postgres keeps for its log and temporary files whatever callers send. */
const LEAST_FREE_BYTES = 50 * MB
const ENDINGS = ['no spec', 'wrong spec', 'cancelled'] as const

const Token = z.object({ anon_token: z.string() })
const Accepted = z.object({ job_id: z.string() })
const Compiled = z.object({ version_id: z.string() })

/**
 * Uploads 45 MB again and again, each in an anonymous workspace of its own, and has them refused or cancels them, on a
 * disk of 500 MB. Where no such disk can be mounted, the database is given a size that makes it as tight.
 */
export const diskAttack: Attack = {
  name: 'disk',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'svc-disk-'))
    const isMounted = await mountSmallDisk(folder)
    await chmod(folder, 0o711)
    try {
      const service = await startBenchService({
        limits: { anon_per_ip_day: 1e6, signups_per_ip_day: 1e6 },
        parentDir: folder,
        env: {
          SVC_TEMPORAL_CONFIG: await quickReconcile(folder),
          ...(!isMounted && { SVC_DATABASE_BYTES: String(DISK_MB * MB) }),
        },
      })
      try {
        return await attack(service, folder)
      } finally {
        await service.stop()
      }
    } finally {
      if (isMounted) await execute('umount', ['--lazy', folder])
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function mountSmallDisk(folder: string): Promise<boolean> {
  try {
    await execute('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder])
    return true
  } catch {
    return false
  }
}

async function attack(service: BenchService, folder: string): Promise<readonly AttackFigure[]> {
  const before = await service.processes()
  const client = await signUpClient(service.apiUrl)
  const versionId = await compileSmall(client)
  const seen = { least: Number.POSITIVE_INFINITY, runs: 0, failedRuns: 0, isOver: false }
  const watching = watch(client, versionId, folder, seen)
  const answers = new Map<number, number>()
  const rows = randomRows()
  const until = Date.now() + ATTACK_MS
  for (let turn = 0; Date.now() < until; turn++) {
    const status = await uploadOnce(service.apiUrl, rows, ENDINGS[turn % ENDINGS.length] ?? 'cancelled')
    answers.set(status, (answers.get(status) ?? 0) + 1)
  }
  // Then none is refused for its form, and they become smaller: they fill the disk up to the reserve.
  const fillUntil = Date.now() + FILL_MS
  let isFull = false
  for (const sizeBytes of [UPLOAD_BYTES, PROBE_BYTES, PROBE_BYTES / 4]) {
    let status = 202
    while (status === 202 && Date.now() < fillUntil) {
      status = await uploadOnce(service.apiUrl, rows.subarray(0, sizeBytes), 'cancelled')
    }
    isFull ||= status === 507
  }
  await expire(service.databaseUrl)
  const cancelledAt = Date.now()
  let isBack = false
  while (!isBack && Date.now() - cancelledAt < BACK_MS) {
    await sleep(1000)
    isBack = (await uploadOnce(service.apiUrl, rows.subarray(0, PROBE_BYTES), 'cancelled')) === 202
  }
  const backS = (Date.now() - cancelledAt) / 1000
  seen.isOver = true
  await watching
  await client.close()
  const after = await service.processes()
  const faults = [...answers].filter(([status]) => status >= 500 && status !== 507).reduce((sum, [, n]) => sum + n, 0)
  console.log({ answers: Object.fromEntries(answers), runs: seen.runs })
  return [
    {
      what: 'Postgres restarts',
      value: before.postgres?.pid === after.postgres?.pid ? 0 : 1,
      limit: 0,
      bound: 'at-most',
    },
    { what: 'least free MB on the disk', value: seen.least / MB, limit: LEAST_FREE_BYTES / MB, bound: 'at-least' },
    { what: 'runs of another tenant that failed', value: seen.failedRuns, limit: 0, bound: 'at-most' },
    { what: 'answers 5xx other than 507', value: faults, limit: 0, bound: 'at-most' },
    { what: 'intake stopped with 507 when the disk was low', value: isFull ? 1 : 0, limit: 1, bound: 'at-least' },
    {
      what: 'seconds until intake was back',
      value: isBack ? backS : Number.POSITIVE_INFINITY,
      limit: BACK_MS / 1000,
      bound: 'at-most',
    },
  ]
}

async function compileSmall(client: BenchClient): Promise<string> {
  const examples = Array.from({ length: 40 }, (_, i) => ({ input: `word ${i}`, output: `WORD ${i}` }))
  const { body } = await client.call('POST', '/v1/compile', {
    task: 'Write it in capitals',
    k_score_floor: 0.3,
    examples,
  })
  return Compiled.parse(body).version_id
}

/** Runs and reads for another tenant all the while, and notes the least free space. */
async function watch(
  client: BenchClient,
  versionId: string,
  folder: string,
  seen: { least: number; runs: number; failedRuns: number; isOver: boolean },
): Promise<void> {
  while (!seen.isOver) {
    const { bavail, bsize } = await statfs(folder)
    seen.least = Math.min(seen.least, bavail * bsize)
    const body = { version_id: versionId, input: `word ${seen.runs}`, use_cache: false }
    const [run, read] = await Promise.all([client.call('POST', '/v1/run', body), client.call('GET', '/v1/artifacts')])
    seen.runs++
    if (run.status !== 200 || read.status !== 200) seen.failedRuns++
    await sleep(50)
  }
}

/** Rows that do not compress. */
function randomRows(): Buffer {
  const lines: string[] = []
  for (let size = 0, i = 0; size < UPLOAD_BYTES; i++) {
    const line = `{"input":"${i} ${randomBytes(5700).toString('base64')}","output":"OUT ${i}"}\n`
    lines.push(line)
    size += line.length
  }
  return Buffer.from(lines.join(''))
}

/** One upload in a workspace of its own; answers its status. One that was accepted is cancelled. */
async function uploadOnce(apiUrl: string, rows: Buffer, ending: (typeof ENDINGS)[number]): Promise<number> {
  const opened = await fetch(`${apiUrl}/v1/anon/bootstrap`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const headers = { 'x-api-key': Token.parse(await opened.json()).anon_token }
  const form = new FormData()
  const spec = ending === 'wrong spec' ? '{"task":1}' : '{"task":"Write it in capitals","mode":"async"}'
  const first = `{"input":"${randomBytes(8).toString('hex')}","output":"first"}\n`
  const last = rows.lastIndexOf('\n') + 1
  form.set('file', new Blob([first, Uint8Array.from(rows.subarray(0, last))]), 'rows.jsonl')
  if (ending !== 'no spec') form.set('spec', spec)
  const answer = await fetch(`${apiUrl}/v1/compile`, { method: 'POST', headers, body: form }).catch(() => undefined)
  if (answer === undefined) return 0
  const body: unknown = await answer.json()
  if (answer.status === 202) {
    await fetch(`${apiUrl}/v1/compile/${Accepted.parse(body).job_id}/cancel`, { method: 'POST', headers })
  }
  return answer.status
}

/** Makes the cancelled bytes six minutes older, so that the service collects them with its next tick. */
async function expire(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(`update blobs set kept_at = kept_at - interval '6 minutes'`)
  } finally {
    await client.end()
  }
}
