import type { z } from 'zod'
import { canonicalJson, type Json } from '../../../core/kernel/json/json.ts'
import { labelsMember } from '../../../core/learn/distill/curate/held-out-labels.ts'
import { runCurate } from '../../../core/learn/distill/curate/run-curate.ts'
import { StrataCensus } from '../../../core/learn/datasets/split/strata.ts'
import type { LabelledText } from '../../../core/learn/datasets/quality/label-model.ts'
import type { SuspectSides } from '../../../core/learn/datasets/quality/label-noise.ts'
import { SAMPLE_ROWS } from '../../../core/learn/datasets/quality/quality-report.ts'
import { labelOf, pairOf, textOf } from '../../../core/learn/datasets/rows/row-content.ts'
import type { CheckedLabels, UncheckedReason } from '../../../core/learn/wire/distill/held-out-labels.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { findQuality, findReadyVersion, type ReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
import { beginRunStage } from '../../../db/learn/distill/advance-run.ts'
import { findRun } from '../../../db/learn/distill/find-run.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DistillDeps, type RunRef } from './deps.ts'

/** Rows put aside that the manifest names. */
const MOST_NAMED = 100
const METHOD = 'confident learning with a model of the rows to learn from alone'

/**
 * Finds rows to learn from whose label is probably wrong, by confident learning over the rows to learn from alone, and puts them
 * aside. Held-out rows stay as they are: what scores a student is not chosen by what it learned from. Those with doubtful labels are
 * named in the manifest. Safe to repeat: the same rows give the same finds.
 */
export async function curateRows(deps: DistillDeps, ref: RunRef): Promise<{ readonly putAside: number }> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      await beginRunStage(op, ref.runId, 'curate')
      const { datasetId, datasetVersion, request } = await findRun(op, ref.runId)
      if (!datasetId || !datasetVersion) return { putAside: 0 }
      const version = await findReadyVersion(op, datasetId, datasetVersion)
      const read = request.kind === 'preference' ? { missing: 'pairs' as const } : await readLabels(op, version)
      const found =
        read.missing === undefined
          ? await inSlot(deps, { lane: 'short', work: ref }, activity, async ({ signal }) => runCurate(read, signal))
          : null
      const aside = (found?.learned.suspects ?? []).map(({ row_id: id }) => id)
      const quality = await findQuality(op, datasetId, datasetVersion)
      await beginRunStage(op, ref.runId, 'curate', {
        putAside: aside,
        counts: { put_aside: aside.length, train: version.trainCount - aside.length },
        manifest: {
          curation: {
            method: found === null ? null : 'confident learning over the rows to learn from, 5 folds of groups',
            compared_rows: read.missing === undefined ? read.rows.length : 0,
            put_aside: aside.length,
            put_aside_rows: aside.slice(0, MOST_NAMED),
            duplicates_removed: quality?.duplicates.exact_removed ?? null,
            near_duplicate_groups: quality?.duplicates.groups ?? null,
            contradictions: quality?.contradictions?.inputs ?? null,
          },
          ...labelsMember(heldLabels(found, read.missing ?? (version.holdoutCount === 0 ? 'no_held_out_rows' : null))),
        },
      })
      return { putAside: aside.length }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

function heldLabels(found: SuspectSides | null, missing: UncheckedReason | null): z.input<typeof CheckedLabels> {
  if (missing !== null) return { status: 'not_checked', reason: missing }
  if (found === null) return { status: 'not_checked', reason: 'too_few_per_label' }
  const { fittedRows, rows, suspects } = found.held
  return {
    status: 'checked',
    method: METHOD,
    fitted_rows: fittedRows,
    rows,
    doubtful: suspects.length,
    suspects: [...suspects],
  }
}

/** Rows by their sides with their labels. */
interface LabelledSides {
  readonly missing?: undefined
  readonly rows: readonly LabelledText[]
  readonly held: readonly LabelledText[]
  readonly labels: readonly string[]
}

/** Reads the rows with their labels; says what is missing where outputs are no labels, or rows are too many to compare. */
async function readLabels(
  op: Operation,
  version: ReadyVersion,
): Promise<LabelledSides | { readonly missing: UncheckedReason }> {
  const isLabelled = version.rowType === 'prompt_completion' || version.rowType === 'text'
  if (!isLabelled) return { missing: 'no_labels' }
  if (version.trainCount > SAMPLE_ROWS) return { missing: 'too_many_rows' }
  const { hashes } = await pendingForgets(op, version.datasetId)
  const census = new StrataCensus(version.rowCount)
  const rows: Omit<LabelledText, 'label'>[] = []
  const held: (Omit<LabelledText, 'label'> & { readonly output: Json })[] = []
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const output = labelOf({ type: 'prompt_completion', form: 'json', row: stored.row })
    const row = { id: stored.id, text: textOf(pairOf(stored.row).input), group: record.group }
    if (record.isHeld) {
      if (held.length < SAMPLE_ROWS) held.push({ ...row, output })
      continue
    }
    census.add(output)
    rows.push(row)
  }
  const { of, labels } = census.strata()
  if (labels === null || rows.length === 0) return { missing: 'no_labels' }
  const numberOf = new Map(labels.map((label, number) => [label, number]))
  return {
    rows: rows.map((row, at) => ({ ...row, label: of[at] ?? 0 })),
    held: held.flatMap(({ output, ...row }) => {
      const label = numberOf.get(canonicalJson(output))
      return label === undefined ? [] : [{ ...row, label }]
    }),
    labels: labels.map((label) => String(JSON.parse(label))),
  }
}
