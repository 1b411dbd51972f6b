import type { BakeoffRow } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { taskPairOf } from '../../../core/learn/evals/bakeoff/task-pair.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'

/** The rows of a bake-off, in their order. */
export interface BakeoffRows {
  readonly train: readonly BakeoffRow[]
  readonly held: readonly BakeoffRow[]
}

/** Which version, and how many rows of each side at most. */
export interface RowsWanted {
  readonly datasetId: string
  readonly version: number
  readonly train: number
  readonly held: number
}

/**
 * Reads the rows of both sides of a version, as many as are wanted: those with the smallest hashes, so the same each time. Forgotten rows
 * are none of them.
 */
export async function readBakeoffRows(op: Operation, wanted: RowsWanted): Promise<BakeoffRows> {
  const version = await findReadyVersion(op, wanted.datasetId, wanted.version)
  const { hashes } = await pendingForgets(op, wanted.datasetId)
  const [train, held] = [smallest(wanted.train), smallest(wanted.held)]
  for await (const { place, record, stored } of streamRows(op.db, version, hashes)) {
    const pair = taskPairOf(stored.row)
    if (pair === null) continue
    const side = record.isHeld ? held : train
    side.add(Buffer.from(record.hash).toString('hex'), { place, group: record.group, ...pair })
  }
  return { train: train.rows(), held: held.rows() }
}

/** Keeps the rows with the smallest keys, twice as many at most meanwhile. */
function smallest(most: number) {
  let kept: { readonly key: string; readonly row: BakeoffRow }[] = []
  const cut = (): void => {
    kept = kept.sort((one, other) => (one.key < other.key ? -1 : 1)).slice(0, most)
  }
  return {
    add(key: string, row: BakeoffRow): void {
      kept.push({ key, row })
      if (kept.length > 2 * most) cut()
    },
    rows(): readonly BakeoffRow[] {
      cut()
      return kept.map(({ row }) => row).sort((one, other) => one.place - other.place)
    },
  }
}
