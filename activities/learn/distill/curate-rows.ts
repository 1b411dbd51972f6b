import { runCurate } from '../../../core/learn/distill/curate/run-curate.ts'
import { StrataCensus } from '../../../core/learn/datasets/split/strata.ts'
import { SAMPLE_ROWS } from '../../../core/learn/datasets/quality/quality-report.ts'
import { labelOf, pairOf, textOf } from '../../../core/learn/datasets/rows/row-content.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { findQuality, findReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
import { beginRunStage } from '../../../db/learn/distill/advance-run.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** Rows put aside that the manifest names. */
const MOST_NAMED = 100

/**
 * Finds rows to learn from whose label is probably wrong, by confident learning over the rows to learn from alone, and puts them
 * aside. Held-out rows stay as they are: what scores a student is not chosen by what it learned from. Safe to repeat: the same rows give the same finds.
 */
export async function curateRows(deps: DistillDeps, ref: RunRef): Promise<{ readonly putAside: number }> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      await beginRunStage(op, ref.runId, 'curate')
      const { datasetId, datasetVersion } = await findRun(op, ref.runId)
      if (!datasetId || !datasetVersion) return { putAside: 0 }
      const { rows, labels, version } = await readLearned(op, datasetId, datasetVersion)
      const suspects =
        labels === null
          ? null
          : await inSlot(deps, { lane: 'short', work: ref }, activity, async ({ signal }) =>
              runCurate({ rows, labels }, signal),
            )
      const aside = (suspects ?? []).map(({ row_id: id }) => id)
      const quality = await findQuality(op, datasetId, datasetVersion)
      await beginRunStage(op, ref.runId, 'curate', {
        putAside: aside,
        counts: { put_aside: aside.length, train: version.trainCount - aside.length },
        manifest: {
          curation: {
            method: suspects === null ? null : 'confident learning over the rows to learn from, 5 folds of groups',
            compared_rows: labels === null ? 0 : rows.length,
            put_aside: aside.length,
            put_aside_rows: aside.slice(0, MOST_NAMED),
            duplicates_removed: quality?.duplicates.exact_removed ?? null,
            near_duplicate_groups: quality?.duplicates.groups ?? null,
            contradictions: quality?.contradictions?.inputs ?? null,
          },
        },
      })
      return { putAside: aside.length }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

/** The rows to learn from with their labels; without labels where outputs are none, or rows are too many to compare. */
async function readLearned(op: Operation, datasetId: string, number: number) {
  const version = await findReadyVersion(op, datasetId, number)
  const isLabelled = version.rowType === 'prompt_completion' || version.rowType === 'text'
  const { hashes } = await pendingForgets(op, datasetId)
  const census = new StrataCensus(version.rowCount)
  const texts: { readonly id: string; readonly text: string; readonly group: number }[] = []
  if (isLabelled && version.trainCount <= SAMPLE_ROWS) {
    for await (const { record, stored } of streamRows(op.db, version, hashes)) {
      if (record.isHeld) continue
      census.add(labelOf({ type: 'prompt_completion', form: 'json', row: stored.row }))
      texts.push({ id: stored.id, text: textOf(pairOf(stored.row).input), group: record.group })
    }
  }
  const { of, labels } = census.strata()
  const names = texts.length === 0 ? null : (labels?.map((label) => String(JSON.parse(label))) ?? null)
  return { version, labels: names, rows: texts.map((row, at) => ({ ...row, label: of[at] ?? 0 })) }
}
