import { totalmem } from 'node:os'
import { baseFolders } from '../../../config/base-folders.ts'
import { openBases, type BaseProvider } from '../../../core/compile/runtime/bases.ts'
import type { CliContext } from '../../context.ts'

/** Longer than any command, so that a base stays open until the command ends. */
const IDLE_CLOSE_MS = 3_600_000

/**
 * Runs a task with the bases of this machine: those under `folder`, else under `SVC_BASES_DIR`, and the project's. They
 * are closed when it ends.
 */
export async function withBases<T>(
  { basesDir }: Pick<CliContext, 'basesDir'>,
  folder: string | undefined,
  task: (bases: BaseProvider) => Promise<T>,
): Promise<T> {
  const folders = baseFolders(folder ?? basesDir)
  const bases = openBases({ folders, memoryBytes: totalmem(), idleCloseMs: IDLE_CLOSE_MS })
  try {
    return await task(bases)
  } finally {
    await bases.close()
  }
}
