/**
 * `/v1/run/batch` on a program: `npm run bench -- batch`, or `node bench/service/batch.ts [--rows 1000000]`. Rows per second
 * of a whole file, the resident set of the API in tenths of it, the latency of another tenant's `/v1/run` alone and beside
 * the batch, and a batch whose API process is killed and which continues. Limits: 20,000 rows/s, memory that does not grow by
 * more than 10 % after the first tenth, and no lost or repeated row or charge.
 */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { request } from 'undici'
import { z } from 'zod'
import { RowScanner } from '../../cli/compile/run/row-scanner.ts'
import { signUpClient, type BenchClient } from '../harness/client.ts'
import { compileRecipe } from '../harness/recipe.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'

const { values: options } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } })
const ROWS = Number(options.rows)
const RATE = 50
const ALONE_S = 8
const TENTHS = 10
const SAMPLE_EVERY_MS = 500

// Made before anything is timed: it holds up this process, which also sends the other tenant's calls.
const WHOLE = fileOf(ROWS)

const View = z.object({ state: z.string(), settled_rows: z.number(), units: z.number() })

const service = await startBenchService({ limits: { ...RAISED_LIMITS, run_batch_rows: ROWS } })
const client = await signUpClient(service.apiUrl)
const other = await signUpClient(service.apiUrl)
try {
  const conceptId = await compileRecipe(client)
  const otherConcept = await compileRecipe(other)
  const alone = await atRate(other, otherConcept, async () => await sleep(ALONE_S * 1000))
  const whole = await measured(conceptId)
  const beside = await atRate(other, otherConcept, async () => await runAll(conceptId, 'beside'))
  const killed = await runKilled(conceptId)
  const growth = (whole.tenthsMb.at(-1) ?? Number.NaN) / (whole.tenthsMb[1] ?? Number.NaN)
  await report('batch', [
    { what: `rows/s of ${ROWS} rows`, value: Math.round(whole.rowsPerS), limit: 20_000 },
    { what: 'API MB in tenths', value: whole.tenthsMb.map((mb) => Math.round(mb)).join(' '), limit: '' },
    { what: 'last to second tenth', value: short(growth), limit: 1.1 },
    ...(['p50', 'p99'] as const).flatMap((name) => {
      const q = name === 'p50' ? 0.5 : 0.99
      return [
        { what: `${name} ms of another tenant at ${RATE}/s, alone`, value: short(quantile(alone, q)), limit: '' },
        { what: `${name} ms of another tenant beside a batch`, value: short(quantile(beside, q)), limit: '' },
      ]
    }),
    { what: 'rows of a batch with two kills: lost or repeated', value: killed.wrong, limit: 0 },
    { what: 'its units', value: killed.units, limit: killed.rows },
  ])
} finally {
  await Promise.all([client.close(), other.close()])
  await service.stop()
}

function fileOf(rows: number): Blob {
  const parts: string[] = ['name\n']
  for (let row = 1; row <= rows; row++) parts.push(`Grace Hopper${row}\n`)
  return new Blob(parts)
}

/** Sends the file; `take` gets the bytes as they come. Returns the id of the batch. */
async function send(
  conceptId: string,
  rows: number,
  { key, fromRow = 1 }: { readonly key: string; readonly fromRow?: number },
  take: (bytes: Uint8Array) => void,
): Promise<string> {
  const form = new FormData()
  form.append('spec', JSON.stringify({ concept_id: conceptId, from_row: fromRow }))
  form.append('file', rows === ROWS ? WHOLE : fileOf(rows), 'in.csv')
  const response = await fetch(`${service.apiUrl}/v1/run/batch`, {
    method: 'POST',
    headers: { 'x-api-key': client.key, 'idempotency-key': key },
    body: form,
  })
  if (!response.ok) throw new Error(`a batch answered ${response.status}: ${await response.text()}`)
  for await (const bytes of response.body ?? []) take(bytes)
  return response.headers.get('x-svc-batch-id') ?? ''
}

async function runAll(conceptId: string, key: string, onRows: (rows: number) => void = () => undefined) {
  const scanner = new RowScanner('csv')
  await send(conceptId, ROWS, { key }, (bytes) => {
    scanner.push(bytes)
    onRows(scanner.rows)
  })
  if (scanner.rows !== ROWS) throw new Error(`${scanner.rows} rows of ${ROWS} were answered`)
}

async function measured(conceptId: string) {
  const samples: { rows: number; mb: number }[] = []
  let rows = 0
  const { api } = await service.processes()
  const timer = setInterval(() => void residentMb(api?.pid).then((mb) => samples.push({ rows, mb })), SAMPLE_EVERY_MS)
  const startedAt = performance.now()
  await runAll(conceptId, 'whole', (now) => (rows = now))
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(timer)
  const tenthsMb = Array.from({ length: TENTHS }, (_, tenth) => {
    const within = samples.filter((sample) => Math.min(TENTHS - 1, Math.floor((sample.rows / ROWS) * TENTHS)) === tenth)
    return within.reduce((sum, { mb }) => sum + mb, 0) / within.length
  })
  return { rowsPerS: ROWS / seconds, tenthsMb }
}

/** Runs a tenth of the rows while the API is killed twice. */
async function runKilled(conceptId: string) {
  const rows = Math.max(2000, Math.round(ROWS / TENTHS))
  let text = ''
  let kills = 0
  let id = ''
  for (;;) {
    const have = Math.max(0, text.split('\n').length - 2)
    try {
      id = await send(conceptId, rows, { key: 'killed', fromRow: have + 1 }, (bytes) => {
        text += Buffer.from(bytes).toString('latin1')
        const done = text.length / 60
        if (kills < 2 && done > (rows * (kills + 1)) / 4) {
          kills++
          void service.processes().then(({ api }) => api !== undefined && process.kill(api.pid, 'SIGKILL'))
        }
      })
      break
    } catch {
      text = text.slice(0, text.lastIndexOf('\n') + 1)
      await sleep(1000)
    }
  }
  const numbers = text
    .trimEnd()
    .split('\r\n')
    .slice(1)
    .map((line) => Number(/^Grace Hopper(\d+),/.exec(line)?.[1]))
  const wrong = numbers.filter((number, i) => number !== i + 1).length + Math.abs(rows - numbers.length)
  const shown = await request(`${service.apiUrl}/v1/run/batch/${id}`, { headers: { 'x-api-key': client.key } })
  const { units } = View.parse(await shown.body.json())
  return { wrong, units, rows }
}

/** Calls `/v1/run` at a fixed rate while `work` continues. Latency counts from when a call was due. */
async function atRate(caller: BenchClient, conceptId: string, work: () => Promise<void>): Promise<number[]> {
  const latenciesMs: number[] = []
  const calls: Promise<void>[] = []
  let isOver = false
  const ended = work().finally(() => (isOver = true))
  const start = performance.now()
  for (let i = 0; !isOver; i++) {
    const due = start + (i * 1000) / RATE
    const waitMs = due - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    const body = { concept_id: conceptId, input: `Ada Lovelace${i}`, use_cache: false }
    calls.push(
      caller.call('POST', '/v1/run', body).then(({ status }) => {
        if (status === 200) latenciesMs.push(performance.now() - due)
      }),
    )
  }
  await ended
  await Promise.all(calls)
  return latenciesMs
}

async function residentMb(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid ?? 'none'}/status`, 'utf8').catch(() => '')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024
}
