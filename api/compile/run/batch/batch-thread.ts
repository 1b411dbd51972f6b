import { openInputs, type InputRow, type OpenedInputs } from '../../../../core/compile/rows/inputs/open-inputs.ts'
import { ChunkBuilder } from '../../../../core/compile/runtime/batch/chunk.ts'
import { createRowWriter } from '../../../../core/compile/runtime/batch/render-rows.ts'
import { rowError } from '../../../../core/compile/runtime/batch/row-outcome.ts'
import { runRow } from '../../../../core/compile/runtime/batch/run-row.ts'
import { loadArchive } from '../../../../core/compile/runtime/load-archive.ts'
import { serveTasks, type RunningTask } from '../../../../core/kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../../core/kernel/threads/thread-priority.ts'
import type { BatchFeed, BatchInput, BatchReport, BatchStart, BatchTasks, ReadRow } from './batch-task.ts'

/** Time for which a chunk keeps its core, milliseconds; other batches of the thread wait so long at most. */
const CHUNK_MS = 60
/** Most bytes and rows of a chunk, which are in memory three times at most. */
const CHUNK_BYTES = 1024 * 1024
const CHUNK_ROWS = 4000
/** Rows that are generated at once on a base. */
const GENERATED_ROWS = 16

type BatchTask = RunningTask<BatchReport, BatchFeed>

/** A row with its number, counted from 1. */
interface NumberedRow {
  readonly row: InputRow
  readonly number: number
}

lowerThreadPriority()

serveTasks<BatchTasks>({
  batch: async (input, task) => {
    const inputs = await openInputs(input.file, passes(task), input)
    const { format, columns, delimiter, inputs: names, rows, leftOut } = inputs
    task.tell({ kind: 'opened', facts: { format, columns, delimiter, inputs: names, rows, leftOut } })
    const start = await task.next()
    if (start.kind !== 'start') throw new Error('a batch starts once')
    if (input.archive === null) await readRows(inputs, start, task)
    else await answerRows(inputs, { ...input, archive: input.archive }, start, task)
    return null
  },
})

/** Runs the rows of a recipe that answers at once, chunk by chunk. */
async function answerRows(
  inputs: OpenedInputs,
  { archive, inputBytes }: BatchInput & { readonly archive: Uint8Array },
  start: BatchStart,
  task: BatchTask,
): Promise<void> {
  const { recipe, guard } = await loadArchive(archive)
  if (recipe.kind !== 'pure') throw new Error('a recipe on a base does not answer in this thread')
  const { columns, delimiter } = inputs
  const { format, signer, versionId, artifactHash, skippedRows, unsentRows } = start
  const writer = createRowWriter(format, { columns, delimiter: delimiter ?? ',' }, signer !== null)
  const run = { guard, versionId, artifactHash, signer, inputBytes, now: () => new Date() }
  const { runner } = recipe
  let builder = new ChunkBuilder(writer)
  let startedAt = performance.now()
  for await (const block of numbered(inputs, skippedRows)) {
    for (const { row, number } of block) {
      builder.add({ number, row, outcome: runRow(row, (value) => runner.run(value), run) }, number > unsentRows)
      const elapsedMs = performance.now() - startedAt
      // Rows that are not sent end a chunk of their own, so that a chunk is sent as a whole or not at all.
      const isFull = elapsedMs > CHUNK_MS || builder.size > CHUNK_BYTES || builder.rows >= CHUNK_ROWS
      if (!isFull && number !== unsentRows) continue
      await send(builder, elapsedMs, task)
      builder = new ChunkBuilder(writer)
      startedAt = performance.now()
    }
  }
  if (builder.rows > 0) await send(builder, performance.now() - startedAt, task)
}

async function send(builder: ChunkBuilder, elapsedMs: number, task: BatchTask): Promise<void> {
  const chunk = builder.finish(Math.round(elapsedMs * 1000))
  const moved = [chunk.bytes, chunk.ends, chunk.flags, chunk.leaves].flatMap(({ buffer }) =>
    buffer instanceof ArrayBuffer ? [buffer] : [],
  )
  task.tell({ kind: 'chunk', chunk }, moved)
  await expectNext(task)
}

/** Hands rows on, a few at a time, to be answered elsewhere. */
async function readRows(inputs: OpenedInputs, { skippedRows, unsentRows }: BatchStart, task: BatchTask): Promise<void> {
  let rows: ReadRow[] = []
  for await (const block of numbered(inputs, skippedRows)) {
    for (const { row, number } of block) {
      const { place, cells, value, fault } = row
      rows.push({ number, place, cells, value, error: fault === null ? null : rowError(fault, place) })
      if (rows.length < GENERATED_ROWS && number !== unsentRows) continue
      task.tell({ kind: 'rows', rows })
      await expectNext(task)
      rows = []
    }
  }
  if (rows.length === 0) return
  task.tell({ kind: 'rows', rows })
  await expectNext(task)
}

async function expectNext(task: BatchTask): Promise<void> {
  const order = await task.next()
  if (order.kind !== 'next') throw new Error('a chunk is followed by the next one')
}

/** The rows of a file with their numbers, those at the beginning left out. */
async function* numbered(inputs: OpenedInputs, skippedRows: number): AsyncGenerator<Iterable<NumberedRow>> {
  let number = 0
  const after = function* (block: Iterable<InputRow>): Generator<NumberedRow> {
    for (const row of block) if (++number > skippedRows) yield { row, number }
  }
  for await (const block of inputs.read()) yield after(block)
}

/** Returns a function that yields the blocks of bytes that the caller sends, from the first one each time. */
function passes(task: BatchTask): () => AsyncGenerator<Uint8Array> {
  let count = 0
  return async function* () {
    let isRewound = count++ > 0
    for (;;) {
      task.tell({ kind: 'wants', isRewound })
      isRewound = false
      const given = await task.next()
      if (given.kind !== 'bytes') throw new Error('a file is followed by its bytes')
      if (given.bytes === null) return
      yield given.bytes
    }
  }
}
