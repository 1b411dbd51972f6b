/**
 * Recall on a durable Postgres: `node bench/service/recall.ts [--chunks N] [--dimensions N] [--queries N]`. Documents of made text are read, cut
 * and stored; then questions of two to four words are asked, by words alone and with vectors around made centres (a model's
 * own time is not part of it). Beside it: how many of the nearest 100 of a comparison in full the search in 8 bits finds.
 * Limits: 2 MB of text a second; p50 20 ms with 100,000 chunks.
 */
import { createHash } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { extractDocument } from '../../core/compile/documents/extract/extract-document.ts'
import { bestOfAll } from '../../core/compile/documents/vectors/best-rows.ts'
import { VectorMatrix } from '../../core/compile/documents/vectors/vector-matrix.ts'
import { openVectorSearch } from '../../core/compile/documents/vectors/vector-search.ts'
import { newId } from '../../core/kernel/ids.ts'
import { createCores } from '../../core/kernel/threads/cores.ts'
import { DEFAULT_LIMITS } from '../../core/limits.ts'
import type { Embedder } from '../../core/model/embedding/embedder.ts'
import { normalised } from '../../core/model/embedding/normalised.ts'
import { createRandom } from '../../core/model/random.ts'
import { signUp } from '../../db/accounts/across/sign-up/sign-up.ts'
import { nextToEmbed, storeVectors } from '../../db/compile/documents/recall/chunk-vectors.ts'
import { openRecall } from '../../db/compile/documents/recall/recall.ts'
import { storeDocument } from '../../db/compile/documents/store-document.ts'
import { openDatabase } from '../../db/kernel/database.ts'
import { systemOperation } from '../../db/kernel/operation.ts'
import { migrate } from '../../db/migrations/migrate.ts'
import { startStack } from '../../stack/stack.ts'
import { quantile, report, short } from '../harness/report.ts'
import { sendSql } from '../../test/support/db/send-sql.ts'

const { values: options } = parseArgs({
  options: {
    chunks: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '1024' },
    queries: { type: 'string', default: '200' },
  },
})
const [CHUNKS, DIMENSIONS, QUERIES] = [Number(options.chunks), Number(options.dimensions), Number(options.queries)]
const DOCUMENT_CHARS = 100_000
const WORDS = 30_000
/** Words that a question does not ask for: the service leaves the common ones of a language out. */
const COMMON = 100
const CENTRES = 500
const MODEL = `made@sha256:${'0'.repeat(64)}`
const NAMESPACE = 'bench'

const random = createRandom(1, 'recall')
/** Words by Zipf's law: the n-th is 1/n as frequent as the first; none of the commonest when `from` is more than 1. */
function word(from = 1): string {
  return `w${Math.floor(from * (WORDS / from) ** random.float()).toString(36)}x`
}

function madeText(): string {
  const parts: string[] = []
  for (let length = 0; length < DOCUMENT_CHARS;) {
    const sentence = `${Array.from({ length: 12 }, () => word()).join(' ')}. `
    parts.push(sentence)
    length += sentence.length
  }
  return parts.join('')
}

const centres = Array.from({ length: CENTRES }, () =>
  Float32Array.from({ length: DIMENSIONS }, () => random.float() - 0.5),
)
function madeVector(): Float32Array {
  const centre = centres[Math.floor(random.float() * CENTRES)] ?? new Float32Array(DIMENSIONS)
  return normalised(centre.map((value) => value + (random.float() - 0.5)))
}

const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'))
// Root's Postgres runs as another user, who has to pass through.
await chmod(dataDir, 0o711)
const stack = await startStack({ dataDir, searchPath: process.env['PATH'] ?? '', log: () => undefined })
const db = await openDatabase({ url: stack.databaseUrl, poolSize: 8, masterKey: stack.masterKey })
const cores = createCores()
let asked: Float32Array = new Float32Array()
const embedder: Embedder = {
  name: async () => 'made',
  embed: async () => ({ model: MODEL, dimensions: DIMENSIONS, vectors: asked }),
  close: async () => undefined,
}
const recall = openRecall({ db, embedder, cores, limits: DEFAULT_LIMITS })
try {
  await migrate(db)
  const requestId = newId('req')
  const { tenant } = await signUp(db, {
    email: 'bench@example.test',
    name: 'bench',
    requestId,
    limits: DEFAULT_LIMITS,
    now: new Date(),
  })
  const op = systemOperation(db, { tenantId: tenant.id, name: 'bench', requestId })

  const indexed = await indexAll()
  await sendSql(db, 'analyze')
  const byWords = await ask()
  await embedAll()
  await sendSql(db, 'analyze')
  const loadedAt = performance.now()
  asked = madeVector()
  await recall.find(op, { namespace: NAMESPACE, query: word(COMMON), k: 12 })
  const loadMs = performance.now() - loadedAt
  const hybrid = await ask()
  await report('recall', [
    limited('MB of text indexed a second, by one core', indexed.mbPerS, 2),
    { what: 'chunks', value: indexed.chunks, limit: '', ratio: '' },
    limited('words alone, p50 ms', quantile(byWords, 0.5), 20),
    limited('words alone, p95 ms', quantile(byWords, 0.95), ''),
    limited(`with vectors of ${DIMENSIONS} numbers, p50 ms`, quantile(hybrid, 0.5), 20),
    limited(`with vectors of ${DIMENSIONS} numbers, p95 ms`, quantile(hybrid, 0.95), ''),
    limited('first question, which reads the vectors, s', loadMs / 1000, ''),
    limited('of the nearest 100 in full, found in 8 bits, %', await overlap(), ''),
  ])

  async function indexAll(): Promise<{ readonly mbPerS: number; readonly chunks: number }> {
    let [chunks, bytes, ms] = [0, 0, 0]
    for (let place = 0; chunks < CHUNKS; place++) {
      const text = Buffer.from(madeText())
      const startedAt = performance.now()
      const bounds = { textChars: text.length, inflatedBytes: text.length }
      const whole = await extractDocument('made.txt', text, bounds)
      // No chunk too many: beyond this number the service builds a graph beside the questions.
      const extracted = { ...whole, chunks: whole.chunks.slice(0, CHUNKS - chunks) }
      await storeDocument(op, {
        indexId: newId('idx'),
        namespace: NAMESPACE,
        file: { place, path: `${place}.txt`, origin: 'workspace', blobSha256: null, sizeBytes: text.length },
        sha256: `sha256:${createHash('sha256').update(text).digest('hex')}`,
        sizeBytes: text.length,
        stamp: null,
        extracted,
      })
      ms += performance.now() - startedAt
      bytes += text.length
      chunks += extracted.chunks.length
    }
    return { mbPerS: bytes / 1e6 / (ms / 1000), chunks }
  }

  async function embedAll(): Promise<void> {
    for (;;) {
      const chunks = await nextToEmbed(op, { namespace: NAMESPACE, model: MODEL, most: 500 })
      if (chunks.length === 0) return
      const vectors = new Float32Array(chunks.length * DIMENSIONS)
      for (let at = 0; at < chunks.length; at++) vectors.set(madeVector(), at * DIMENSIONS)
      await storeVectors(op, { model: MODEL, chunks, vectors })
    }
  }

  /** Returns the milliseconds of each question. */
  async function ask(): Promise<readonly number[]> {
    const times: number[] = []
    for (let at = 0; at < QUERIES; at++) {
      const query = Array.from({ length: 2 + (at % 3) }, () => word(COMMON)).join(' ')
      asked = madeVector()
      const startedAt = performance.now()
      await recall.find(op, { namespace: NAMESPACE, query, k: 12 })
      times.push(performance.now() - startedAt)
    }
    return times
  }

  /** Compares the vectors' ranking with that of a comparison in full, over 20 questions. */
  async function overlap(): Promise<number> {
    const matrix = new VectorMatrix(DIMENSIONS)
    const rows = await sendSql<{ document_id: string; seq: number; vector: Uint8Array }>(
      db,
      'select document_id, seq, vector from document_vectors limit 20000',
    )
    for (const { document_id: documentId, seq, vector } of rows) {
      matrix.add({ documentId, seq }, new Float32Array(Uint8Array.from(vector).buffer))
    }
    const search = openVectorSearch(cores, CHUNKS)
    let shared = 0
    for (let at = 0; at < 20; at++) {
      const query = madeVector()
      const found = await search.search({ tenantId: tenant.id, key: 'all', matrix: matrix.view, query, most: 100 })
      const exact = new Set(bestOfAll(matrix.view, query, 100).map(({ row }) => row))
      shared += found.rows.filter(({ row }) => exact.has(row)).length
    }
    await search.close()
    return (shared / 2000) * 100
  }

  function limited(what: string, value: number, limit: number | '') {
    return { what, value: short(value), limit, ratio: limit === '' ? '' : short(value / limit) }
  }
} finally {
  await recall.close()
  await db.close()
  await stack.stop()
  await rm(dataDir, { recursive: true, force: true })
}
