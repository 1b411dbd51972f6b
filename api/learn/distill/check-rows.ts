import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { openInWorkspace } from '../../../core/kernel/workspace/workspace.ts'
import { openFiles, rowsOfFile } from '../../../core/learn/datasets/files/open-rows.ts'
import { pairOf, type RowContent } from '../../../core/learn/datasets/rows/row-content.ts'
import { readContent } from '../../../core/learn/datasets/rows/read-content.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { LearnServices } from '../services.ts'

/** Most bytes of a file of rows: it is read while its caller waits. */
const MOST_BYTES = 64 * 1024 * 1024
/** Rows between two turns of the event loop. */
const ROWS_A_TURN = 100

/** A file in a tenant's workspace, and what its rows have to be. */
export interface AskedFile {
  readonly tenantId: string
  readonly path: string
  /** Rows that it may have. */
  readonly most: number
  /** Throws `validation_failed` with the place for a row that is none. */
  readonly check: (content: RowContent, field: string) => void
}

/** Throws `validation_failed` for a row without a prompt and a completion. */
export function requirePair({ type, row }: RowContent, field: string): void {
  if (type === 'prompt_completion' && pairOf(row).output !== null) return
  throw invalidField(field, 'must have prompt and completion')
}

/**
 * Reads a file of rows in a tenant's workspace to its end and checks each row. Returns the number of rows. Throws
 * `path_outside_workspace`, `pairs_missing` for no such file, `payload_too_large`, `too_many_rows`, and what `check` throws.
 */
export async function checkRowsFile(
  { settings, limits }: Pick<LearnServices, 'settings' | 'limits'>,
  { tenantId, path, most, check }: AskedFile,
): Promise<number> {
  const file = await openInWorkspace(settings.workspacesDir, { tenantId, path, field: 'pairs_path' })
  if (file === null) {
    throw invalidField('pairs_path', 'names no file, or one that may not be read', LEARN_ERRORS.pairs_missing)
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-rows-'))
  try {
    if (file.sizeBytes > MOST_BYTES) {
      throw invalidField('pairs_path', `has more than ${MOST_BYTES} bytes`, KERNEL_ERRORS.payload_too_large)
    }
    const copy = join(folder, 'given')
    const end = Math.max(0, file.sizeBytes - 1)
    await pipeline(file.handle.createReadStream({ autoClose: false, end }), createWriteStream(copy))
    const bounds = { rowBytes: limits.example_bytes, jsonDepth: limits.json_depth, inflatedBytes: MOST_BYTES }
    const files = await openFiles([{ name: basename(path), path: copy, isHeld: false }], { into: folder, bounds })
    let rows = 0
    for (const each of files) {
      for await (const { value, field } of rowsOfFile(each, bounds, files.length > 1)) {
        check(readContent(value, field), field)
        rows++
        if (rows > most) {
          throw invalidField('pairs_path', `has more than ${most} rows`, COMPILE_ERRORS.too_many_rows)
        }
        if (rows % ROWS_A_TURN === 0) await turn()
      }
    }
    if (rows === 0) throw invalidField('pairs_path', 'names a file without a row', LEARN_ERRORS.pairs_missing)
    return rows
  } finally {
    await file.handle.close()
    await rm(folder, { recursive: true, force: true })
  }
}
