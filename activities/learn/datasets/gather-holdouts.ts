import { pairOf, textOf } from '../../../core/learn/datasets/rows/row-content.ts'
import { listOtherHoldouts } from '../../../db/learn/datasets/list-holdouts.ts'
import { readPage } from '../../../db/learn/datasets/read-rows.ts'
import type { RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DatasetDeps, type VersionInput } from './deps.ts'
import { save } from './gather-files.ts'

/** Datasets whose held-out rows are compared, and rows of each. */
const DATASETS = 20
const ROWS_OF_EACH = 2000
const PAGE = 500

/**
 * Writes the held-out inputs of the other datasets of a namespace as JSON lines, the newest datasets first, so that the
 * report finds rows that are in one's training and in another's holdout. Returns null where there are none.
 */
export async function gatherHoldouts(
  deps: DatasetDeps,
  ref: VersionInput,
  {
    namespace,
    path,
    activity,
  }: { readonly namespace: string; readonly path: string; readonly activity: RunningActivity },
): Promise<string | null> {
  const op = operationOf(deps, ref)
  const others = await listOtherHoldouts(op, { namespace, datasetId: ref.datasetId, most: DATASETS })
  if (others.length === 0) return null
  const lines = async function* (): AsyncGenerator<Uint8Array> {
    for (const version of others) {
      let from: number | null = 0
      for (let taken = 0; from !== null && taken < ROWS_OF_EACH;) {
        const page = await readPage(deps.db, version, { from, limit: PAGE, isHeld: true })
        for (const { stored } of page.rows) {
          if (stored === null) continue
          const text = textOf(pairOf(stored.row).input)
          yield Buffer.from(`${JSON.stringify({ dataset_id: version.datasetId, text })}\n`)
        }
        taken += page.rows.length
        from = page.next
      }
    }
  }
  await save(lines(), path, activity)
  return path
}
