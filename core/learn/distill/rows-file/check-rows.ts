import { dirname } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { COMPILE_ERRORS } from '../../../compile/errors.ts'
import { invalidField } from '../../../kernel/errors.ts'
import type { FileBounds } from '../../datasets/files/data-file.ts'
import { openFiles, rowsOfFile } from '../../datasets/files/open-rows.ts'
import { readContent } from '../../datasets/rows/read-content.ts'
import { pairOf, type RowContent } from '../../datasets/rows/row-content.ts'
import { LEARN_ERRORS } from '../../errors.ts'
import { rowKeys, type RowKeying } from '../../holdout/row-key.ts'
import type { PreferenceRequest } from '../request.ts'
import { PreferenceCheck } from './preference-check.ts'

/** Rows between two reports, each followed by a turn of the event loop, in which an abort arrives. */
const ROWS_A_TURN = 100

/** A caller's file of rows, and what a training learns from it. */
export interface RowsFile {
  /** A copy in a folder of its own, where archives are unpacked. */
  readonly path: string
  /** Its name for the caller. */
  readonly name: string
  readonly bounds: FileBounds
  /** Rows that it may have. */
  readonly most: number
  /** `pairs` of prompt and completion, or what an objective learns. */
  readonly learns: 'pairs' | PreferenceRequest['objective']
  /** Where the tenant has sealed rows: the means to find these among the rows. */
  readonly keying: RowKeying | null
}

/** The rows of a file that were checked. */
export interface CheckedRows {
  readonly rows: number
  /** The keys of each row in hexadecimal; empty without `keying`. */
  readonly keys: readonly (readonly string[])[]
}

/**
 * Reads a file of rows to its end and checks each row. Throws `validation_failed` with the place of a
 * row that teaches nothing, `pairs_missing`, `too_many_rows`, `too_few_preferences` and what reading throws.
 * @param task gets the number of rows now and then, and ends the check by its signal
 */
export async function checkRows(
  { path, name, bounds, most, learns, keying }: RowsFile,
  task: { readonly signal: AbortSignal; tell(rows: number): void },
): Promise<CheckedRows> {
  const preferences = learns === 'pairs' ? undefined : new PreferenceCheck(learns)
  const check = preferences?.add ?? requirePair
  const files = await openFiles([{ name, path, isHeld: false }], { into: dirname(path), bounds })
  const keys: (readonly string[])[] = []
  let rows = 0
  for (const each of files) {
    for await (const { value, field } of rowsOfFile(each, bounds, files.length > 1)) {
      const content = readContent(value, field)
      check(content, field)
      if (keying !== null) {
        const { secret, tenantId } = keying
        keys.push(rowKeys(secret, tenantId, pairOf(content.row).input).map((key) => key.toString('hex')))
      }
      rows++
      if (rows > most) throw invalidField('pairs_path', `has more than ${most} rows`, COMPILE_ERRORS.too_many_rows)
      if (rows % ROWS_A_TURN > 0) continue
      task.tell(rows)
      await turn(undefined, { signal: task.signal })
    }
  }
  if (rows === 0) throw invalidField('pairs_path', 'names a file without a row', LEARN_ERRORS.pairs_missing)
  preferences?.requireEnough()
  return { rows, keys }
}

function requirePair({ type, row }: RowContent, field: string): void {
  if (type === 'prompt_completion' && pairOf(row).output !== null) return
  throw invalidField(field, 'must have prompt and completion')
}
