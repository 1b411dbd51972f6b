import type { Limits } from '../../../core/compile/limits.ts'
import { MAX_COLUMNS } from '../../../core/compile/rows/table/open-table.ts'
import { tooLarge } from '../../../core/compile/rows/table/workbook/unpack.ts'
import type { ReadSheet, SheetChoice, WorkbookTasks } from '../../../core/compile/rows/table/workbook/workbook-task.ts'
import { evenShare, type Cores } from '../../../core/kernel/threads/cores.ts'
import { isOutOfMemory, ThreadFailure } from '../../../core/kernel/threads/thread-failure.ts'
import { openThreads } from '../../../core/kernel/threads/threads.ts'

/** A sheet with its rows in the form of `sheetLine`. */
export interface SheetRows {
  readonly sheet: ReadSheet
  readonly chunks: readonly Uint8Array[]
}

/** Reads the chosen sheet. */
export type WorkbookReader = (bytes: Uint8Array, choice: SheetChoice, caller: string) => Promise<SheetRows>

/** The thread that reads workbooks. */
export interface Workbooks {
  /** Throws the problem of the workbook, `payload_too_large` for one that needs too much memory or time, and `busy`. */
  readonly read: WorkbookReader
  close(): Promise<void>
}

/** A workbook within the bounds, as rows of an average sheet, takes less. */
const MEMORY_MB = 768
const STILL_MS = 60_000

/** Opens the reader of workbooks: one thread with bounded memory, which reads one workbook at a time. */
export function openWorkbooks(limits: Limits, cores: Cores): Workbooks {
  const threads = openThreads<WorkbookTasks>({
    file: new URL('../../../core/compile/rows/table/workbook/workbook-thread.ts', import.meta.url),
    name: 'workbook',
    most: 1,
    memoryMb: MEMORY_MB,
    stillMs: STILL_MS,
    cores: cores.short,
  })
  const bounds = {
    inflatedBytes: limits.workbook_inflated_bytes,
    columns: MAX_COLUMNS,
    rows: limits.upload_rows,
    rowBytes: limits.workbook_inflated_bytes,
  }
  return {
    async read(bytes, choice, caller) {
      const chunks: Uint8Array[] = []
      try {
        const found = await threads.run(
          'read',
          { ...choice, bytes, bounds },
          { onProgress: (chunk) => void chunks.push(chunk), share: evenShare(caller) },
        )
        return { sheet: found, chunks }
      } catch (error) {
        const isTooMuch = isOutOfMemory(error) || (error instanceof ThreadFailure && error.code === 'thread_still')
        throw isTooMuch ? tooLarge('is too large a workbook') : error
      }
    },
    close: async () => await threads.close(),
  }
}
