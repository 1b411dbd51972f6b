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
import { readContent } from '../../../core/learn/datasets/rows/read-content.ts'
import { preferenceOf } from '../../../core/learn/distill/pairs.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { LearnServices } from '../services.ts'

/** Most bytes of a file of pairs: it is read while its caller waits. */
const MOST_BYTES = 64 * 1024 * 1024
/** Rows between two turns of the event loop. */
const ROWS_A_TURN = 100

/** A file of pairs in a tenant's workspace. */
export interface PairsFile {
  readonly tenantId: string
  readonly path: string
  readonly objective: string
}

/**
 * Reads a file of pairs to its end and checks each row. Returns the number of rows. Throws `path_outside_workspace`, `pairs_missing` for no
 * such file, `payload_too_large`, `too_many_rows`, and `validation_failed` with the place of the first row that is no preference.
 */
export async function checkPairsFile(
  { settings, limits }: Pick<LearnServices, 'settings' | 'limits'>,
  { tenantId, path, objective }: PairsFile,
): Promise<number> {
  const file = await openInWorkspace(settings.workspacesDir, { tenantId, path, field: 'pairs_path' })
  if (file === null) {
    throw invalidField('pairs_path', 'names no file, or one that may not be read', LEARN_ERRORS.pairs_missing)
  }
  const folder = await mkdtemp(join(tmpdir(), 'svc-pairs-'))
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
        checkRow(value, field, objective)
        rows++
        if (rows > limits.preference_pairs) {
          throw invalidField(
            'pairs_path',
            `has more than ${limits.preference_pairs} rows`,
            COMPILE_ERRORS.too_many_rows,
          )
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

function checkRow(value: Parameters<typeof readContent>[0], field: string, objective: string): void {
  const { type, form, row } = readContent(value, field)
  if (type !== 'preference' && (type !== 'unpaired' || objective !== 'kto')) {
    throw invalidField(
      field,
      objective === 'kto'
        ? 'must have prompt, chosen and rejected, or prompt, completion and label'
        : 'must have prompt, chosen and rejected',
    )
  }
  if (form === 'messages') throw invalidField(field, 'has messages; texts are needed')
  if (preferenceOf(row) === null) throw invalidField(`${field}.prompt`, 'is required')
}
