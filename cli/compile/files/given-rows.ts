import { createReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import type { CompiledRows } from '../../../core/compile/archive/recompute/gather-rows.ts'
import { uploadBounds } from '../../../core/compile/rows/intake/bounds.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import { examplesFromJsonl } from '../../../core/compile/rows/intake/jsonl-examples.ts'
import { UnansweredCensus } from '../../../core/compile/rows/intake/unanswered.ts'
import { selectRows } from '../../../core/compile/rows/intake/select-rows.ts'
import { isMapped, type TableMapping } from '../../../core/compile/rows/table/mapping.ts'
import { MAX_COLUMNS } from '../../../core/compile/rows/table/open-table.ts'
import { examplesOfFile } from '../../../core/compile/rows/table/table-examples.ts'
import { looksLikeWorkbook } from '../../../core/compile/rows/table/workbook/unpack.ts'
import type { ReadSheet, WorkbookTasks } from '../../../core/compile/rows/table/workbook/workbook-task.ts'
import { openThreads } from '../../../core/kernel/threads/threads.ts'
import type { Limits } from '../../../core/limits.ts'
import { usageError } from '../../cli-error.ts'

const WORKBOOK_THREAD = new URL('../../../core/compile/rows/table/workbook/workbook-thread.ts', import.meta.url)
const WORKBOOK_MEMORY_MB = 2048
const WORKBOOK_STILL_MS = 120_000
const HEAD_BYTES = 8

/**
 * Reads the rows of a compile from a file of any format that a compile takes, with the mapping of that compile:
 * duplicates removed, contradictions settled. `limits` are those of the service that compiled. Throws for a file that
 * such a service would refuse.
 */
export async function readGivenRows(
  file: string,
  mapping: TableMapping | undefined,
  limits: Limits,
): Promise<CompiledRows> {
  try {
    const examples = await examplesOf(file, mapping, limits)
    const { rows, negatives, unlabelled } = await selectRows(examples, { maxRows: limits.rows_used_per_compile })
    return { rows, negatives, unlabelled }
  } catch (error) {
    throw usageError(`${file}: ${error instanceof Error ? error.message : 'cannot be read'}`, error)
  }
}

async function examplesOf(file: string, mapping: TableMapping = {}, limits: Limits): Promise<AsyncIterable<Example>> {
  const bounds = uploadBounds(limits)
  if (looksLikeWorkbook(await headOf(file))) {
    const { sheet, chunks } = await readWorkbook(await readFile(file), mapping.sheet, limits)
    return examplesOfFile({ format: 'sheet', mapping, sheet }, () => each(chunks), bounds).examples
  }
  if (/\.(jsonl|ndjson)$/i.test(file) && !isMapped(mapping)) {
    const unanswered = new UnansweredCensus(mapping.empty_answers, bounds.maxUnlabelled)
    return examplesFromJsonl(createReadStream(file), bounds, { unanswered })
  }
  return examplesOfFile({ format: 'text', mapping }, () => createReadStream(file), bounds).examples
}

async function headOf(file: string): Promise<Uint8Array> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES))
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

async function readWorkbook(
  bytes: Uint8Array,
  sheet: string | undefined,
  limits: Limits,
): Promise<{ readonly sheet: ReadSheet; readonly chunks: readonly Uint8Array[] }> {
  const threads = openThreads<WorkbookTasks>({
    file: WORKBOOK_THREAD,
    name: 'workbook',
    most: 1,
    memoryMb: WORKBOOK_MEMORY_MB,
    stillMs: WORKBOOK_STILL_MS,
    cores: { beside: 'a command has the machine to itself' },
  })
  const chunks: Uint8Array[] = []
  const bounds = {
    inflatedBytes: limits.workbook_inflated_bytes,
    columns: MAX_COLUMNS,
    rows: limits.upload_rows,
    rowBytes: limits.workbook_inflated_bytes,
  }
  try {
    const read = await threads.run(
      'read',
      { bytes, sheet, contents: 'examples', bounds },
      { onProgress: (chunk) => void chunks.push(chunk) },
    )
    return { sheet: read, chunks }
  } finally {
    await threads.close()
  }
}

// oxlint-disable-next-line require-await -- a reader of files takes streams
async function* each(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}
