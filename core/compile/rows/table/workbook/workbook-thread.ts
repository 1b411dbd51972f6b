import { readSheet } from 'read-excel-file/node'
import { invalidField } from '../../../../kernel/errors.ts'
import { serveTasks } from '../../../../kernel/threads/serve-tasks.ts'
import { lowerThreadPriority } from '../../../../kernel/threads/thread-priority.ts'
import { cellName } from '../table-error.ts'
import { sheetLine } from './sheet-table.ts'
import { shownValues } from './shown-values.ts'
import { packParts } from './pack.ts'
import { chooseSheet, sheetProblems, sheetsOf } from './sheets.ts'
import { broken, tooLarge, unpackWorkbook } from './unpack.ts'
import type { ReadSheet, SheetProblem, WorkbookTasks } from './workbook-task.ts'

const NICENESS = 5
const CHUNK_CHARS = 1024 * 1024
/** Dates before this are times without a date. */
const FIRST_DATE = Date.UTC(1900, 0, 1)

lowerThreadPriority(NICENESS)

serveTasks<WorkbookTasks>({
  read: async ({ bytes, sheet, contents, bounds }, task) => {
    const parts = await unpackWorkbook(bytes, bounds.inflatedBytes)
    const sheets = sheetsOf(parts)
    const { entry, reason } = chooseSheet(sheets, parts, { sheet, contents })
    const xml = parts.get(entry.part)
    const problems = xml === undefined ? [] : sheetProblems(xml, entry.name)
    const rows = await rowsOf(await packParts(parts), entry.number, problems)
    const shown = shownValues(parts, entry.part)
    let lines = ''
    let sizeBytes = 0
    const flush = (): void => {
      const chunk = new TextEncoder().encode(lines)
      sizeBytes += chunk.length
      if (sizeBytes > bounds.rowBytes) throw tooLarge(`holds more than ${bounds.rowBytes} bytes of cells`)
      lines = ''
      task.tell(chunk, [chunk.buffer])
    }
    if (rows.length > bounds.rows + 1) throw tooLarge(`has ${rows.length} rows, at most ${bounds.rows} are allowed`)
    for (const [i, cells] of rows.entries()) {
      if (cells.length > bounds.columns) {
        const place = `${entry.name}!${cellName(bounds.columns, i + 1)}`
        throw invalidField(place, `is beyond ${bounds.columns} columns; remove those that the task does not need`)
      }
      lines += sheetLine(
        i + 1,
        cells.map((value, at) => shown(value, at, i + 1) ?? cellOf(value)),
      )
      if (lines.length >= CHUNK_CHARS) flush()
    }
    flush()
    return {
      sheets: sheets.map(({ name }) => name),
      sheet: entry.name,
      sheetReason: reason,
      problems,
    } satisfies ReadSheet
  },
})

async function rowsOf(
  checked: Buffer,
  sheet: number,
  [problem]: readonly SheetProblem[],
): Promise<readonly (readonly unknown[])[]> {
  try {
    return await readSheet(checked, sheet, { trim: false })
  } catch (error) {
    throw problem === undefined ? broken(error) : invalidField(problem.field, problem.message)
  }
}

/** Returns a cell as JSON: a date as `2026-11-23`, with a time as `2026-11-23T10:30:00`, a time as `10:30:00`. */
function cellOf(value: unknown): unknown {
  if (!(value instanceof Date)) return value
  const time = Math.round(value.getTime() / 1000) * 1000
  if (!Number.isFinite(time)) return null
  const text = new Date(time).toISOString().replace(/\.\d+Z$/, '')
  if (time < FIRST_DATE) return text.slice(text.indexOf('T') + 1)
  return text.endsWith('T00:00:00') ? text.slice(0, text.indexOf('T')) : text
}
