/**
 * Measures datasets: `node bench/service/datasets.ts [--rows N] [--growths N]`. Builds a million JSON lines in a process of its
 * own (seconds, largest memory), reads them back as Parquet, pages through them in Postgres, and grows datasets at random to
 * count the held-out rows that move to train.
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { finished } from 'node:stream/promises'
import { readLines } from '../../core/compile/rows/intake/byte-lines.ts'
import { openBuildThreads } from '../../core/learn/datasets/build/build-threads.ts'
import { parquetFile } from '../../core/learn/datasets/export/export-rows.ts'
import { parquetRows } from '../../core/learn/datasets/files/parquet-rows.ts'
import { readRow } from '../../core/learn/datasets/rows/stored-row.ts'
import { putBlob } from '../../db/kernel/blobs/put-blob.ts'
import { openDatabase } from '../../db/kernel/database.ts'
import { migrate } from '../../db/migrations/migrate.ts'
import { readPage } from '../../db/learn/datasets/read-rows.ts'
import { startStack } from '../../stack/stack.ts'
import { growDataset } from '../../test/learn/core/grow-dataset.ts'

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    growths: { type: 'string', default: '1000' },
    build: { type: 'string' },
  },
})
const rows = Number(values.rows)
const BOUNDS = { rowBytes: 10 * 1024, jsonDepth: 32, inflatedBytes: 2 ** 30 }
const WORDS =
  'parcel invoice password refund order account delivery address card payment late broken missing wrong change cancel track reset email phone name street city charge twice receipt seat plan month year upgrade login code device screen item size colour return label box courier'.split(
    ' ',
  )
const LABELS = ['shipping', 'billing', 'login', 'returns', 'other']

if (values.build !== undefined) {
  await buildHere(values.build)
} else {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-datasets-'))
  await chmod(folder, 0o711)
  try {
    await writeRows(join(folder, 'given.jsonl'))
    const own = fileURLToPath(import.meta.url)
    spawnSync(process.execPath, [own, '--rows', String(rows), '--build', folder], { stdio: 'inherit' })
    await measureParquet(folder)
    await measurePages(folder)
    await measureGrowths(folder, Number(values.growths))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function buildHere(folder: string): Promise<void> {
  const begun = performance.now()
  const steps = new Map<string, number>()
  const builds = openBuildThreads(1)
  const summary = await builds.build(
    {
      folder,
      files: [{ name: 'given.jsonl', path: join(folder, 'given.jsonl'), isHeld: false }],
      captures: null,
      previous: null,
      removed: [],
      split: { trainRatio: 0.8, minTrain: 0, minHoldout: 0, seed: null, isStrict: false },
      bounds: BOUNDS,
      mostRows: rows,
      tokenizer: null,
      otherHoldouts: null,
      benchPacks: null,
    },
    {
      signal: new AbortController().signal,
      onProgress: (step) => steps.set(step, performance.now() - begun),
    },
  )
  await builds.close()
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  console.table({
    rows: summary.rows,
    train: summary.train,
    held: summary.held,
    seconds: seconds(performance.now() - begun),
    'processor, s': seconds((userCPUTime + systemCPUTime) / 1000),
    'largest memory, MB': Math.round(maxRSS / 1024),
    ...Object.fromEntries([...steps].map(([step, ms]) => [`${step}, s from the start`, seconds(ms)])),
  })
}

async function measureParquet(folder: string): Promise<void> {
  const path = join(folder, 'rows.parquet')
  const out = createWriteStream(path)
  const file = parquetFile({ type: 'prompt_completion', form: 'plain' })
  const decoder = new TextDecoder()
  const begun = performance.now()
  for await (const { bytes } of readLines(createReadStream(join(folder, 'rows.jsonl')), BOUNDS.rowBytes * 8)) {
    const piece = file.add(readRow(decoder.decode(bytes)).row)
    if (piece.length > 0 && !out.write(piece)) await once(out, 'drain')
  }
  out.end(file.end())
  await finished(out)
  const written = performance.now() - begun
  let read = 0
  const from = performance.now()
  for await (const row of parquetRows('rows.parquet', path, BOUNDS)) read += row.field === '' ? 0 : 1
  const took = performance.now() - from
  console.table({
    'Parquet rows': read,
    'read, rows/s': Math.round((read / took) * 1000),
    'written, rows/s': Math.round((read / written) * 1000),
  })
}

async function measurePages(folder: string): Promise<void> {
  const dataDir = join(folder, 'stack')
  await mkdir(dataDir, { mode: 0o711 })
  const stack = await startStack({ dataDir, searchPath: process.env['PATH'] ?? '', log: () => undefined })
  const db = await openDatabase({ url: stack.databaseUrl, poolSize: 2, masterKey: stack.masterKey })
  try {
    await migrate(db)
    const stored = await putBlob(db, createReadStream(join(folder, 'rows.jsonl')))
    const index = await putBlob(db, createReadStream(join(folder, 'index')))
    const version = { rowsSha256: stored.sha256, indexSha256: index.sha256, rowCount: rows }
    const times: number[] = []
    for (let page = 0; page < 200; page++) {
      const from = Math.floor((rows * page) / 200)
      const begun = performance.now()
      await readPage(db, version, { from, limit: 50 })
      times.push(performance.now() - begun)
    }
    times.sort((a, b) => a - b)
    console.table({ pages: times.length, 'median, ms': round(times[100]), 'at 95 %, ms': round(times[190]) })
  } finally {
    await db.close()
    await stack.stop()
  }
}

async function measureGrowths(folder: string, growths: number): Promise<void> {
  let [versions, moved] = [0, 0]
  for (let seed = 1; seed <= growths; seed++) {
    const work = join(folder, `growth-${seed}`)
    await mkdir(work)
    const grown = await growDataset(work, { seed, versions: 4 })
    versions += grown.versions
    moved += grown.moved
    await rm(work, { recursive: true })
  }
  console.table({ growths, versions, 'held-out rows that moved to train': moved })
}

async function writeRows(path: string): Promise<void> {
  let state = 7
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  const file = createWriteStream(path)
  for (let row = 0; row < rows; row++) {
    const words = Array.from({ length: 12 + next(20) }, () => WORDS[next(WORDS.length)])
    const line = { prompt: `${words.join(' ')} ${row}`, completion: LABELS[next(LABELS.length)] }
    if (!file.write(`${JSON.stringify(line)}\n`)) await once(file, 'drain')
  }
  file.end()
  await finished(file)
}

function seconds(ms: number): number {
  return Number((ms / 1000).toFixed(1))
}

function round(ms: number | undefined): number {
  return Number((ms ?? 0).toFixed(1))
}
