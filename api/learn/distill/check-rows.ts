import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { sealedRowsError } from '../../../core/compile/rows/sealed-rows-error.ts'
import { invalidField, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { openInWorkspace } from '../../../core/kernel/workspace/workspace.ts'
import type { RowsFile } from '../../../core/learn/distill/rows-file/check-rows.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { countSealedKeys, sealedKeying } from '../../../db/learn/holdouts/count-sealed.ts'
import type { LearnServices } from '../services.ts'

/** Most bytes of a file of rows: it is read while its caller waits. */
const MOST_BYTES = 64 * 1024 * 1024

/** A file in a tenant's workspace, and what is learned from its rows. */
export interface AskedFile extends Pick<RowsFile, 'most' | 'learns'> {
  readonly path: string
  /** Ends the check when the caller leaves. */
  readonly signal: AbortSignal
}

/**
 * Reads a file of rows in a tenant's workspace to its end, in a thread, and checks each row. Returns the number of rows. Throws
 * `path_outside_workspace`, `pairs_missing` for no such file, `payload_too_large`, `sealed_rows`, and what `RowsThreads.check`
 * throws.
 */
export async function checkRowsFile(
  op: Operation,
  { settings, limits, rowsThreads }: Pick<LearnServices, 'settings' | 'limits' | 'rowsThreads'>,
  { path, most, learns, signal }: AskedFile,
): Promise<number> {
  const { tenantId } = op
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
    const keying = await sealedKeying(op)
    const asked = { path: copy, name: basename(path), bounds, most, learns, keying }
    const { rows, keys } = await rowsThreads.check(tenantId, asked, signal)
    const sealed = await countSealedKeys(op, keys)
    if (sealed > 0) throw sealedRowsError('pairs_path', sealed)
    return rows
  } finally {
    await file.handle.close()
    await rm(folder, { recursive: true, force: true })
  }
}
