import { hashJson } from '../../../../core/kernel/json/json.ts'
import { hashRows } from '../../../../core/compile/rows/split/row-hashes.ts'
import type { Split } from '../../../../core/compile/rows/split/split-report.ts'
import { sampleCandidates } from '../../../../core/compile/stages/sample/sample.ts'
import type { SampleInput, SampleOutput } from '../../../../core/compile/stages/stage-types.ts'
import type { ProgramQuestion } from '../../../../core/compile/stages/teacher/teacher-types.ts'
import type { Row } from '../../../../core/compile/rows/task.ts'

/** The evidence of a split in builds before cross-fitting: leave-one-out when all rows are held out. */
export function earlierSplit(rows: readonly Row[], held: readonly number[]): Split {
  const places = [...rows.keys()]
  const isInTurn = held.length === rows.length
  const train = isInTurn ? places : places.filter((place) => !held.includes(place))
  const rowsAt = (some: readonly number[]) => some.flatMap((place) => rows[place] ?? [])
  const leakage = {
    input_overlap: 0,
    near_duplicate_groups: 0,
    near_duplicate_rows: 0,
    divided_groups: 0,
    near_duplicate_overlap: 0,
  }
  const mode = isInTurn ? 'leave_one_out' : 'holdout'
  return {
    mode,
    train,
    holdout: held,
    provenance: {
      seeds_hash: hashRows(rows),
      split_seed: 'svc-default-split-seed-v1',
      split_mode: mode,
      holdout_ratio: 0.2,
      train_hash: hashRows(rowsAt(train)),
      holdout_hash: hashRows(rowsAt(held)),
      train_count: train.length,
      holdout_count: held.length,
      stratified_by: 'none',
      eval_source: 'tenant_given',
      eval_provenance: 'real_eval',
      leakage_report: leakage,
      leakage_report_hash: hashJson(leakage),
      synthesis_input_hash: hashRows(rowsAt(train)),
      source_seed_count: rows.length,
      approved_count: rows.length,
      synthetic_count: 0,
      min_train: 40,
      min_holdout: 10,
      production_ready: false,
    },
  }
}

/** `k-sample` as `svc-sample-1` left it for few rows: leave-one-out, and a teacher asked in three parts. */
export function earlierDraft(input: SampleInput): {
  readonly draft: SampleOutput
  readonly parts: readonly ProgramQuestion[]
} {
  const { apart: _apart, split: _split, ...sample } = sampleCandidates(input)
  const places = [...input.rows.keys()]
  const parts = [0, 1, 2].map((part): ProgramQuestion => {
    const fit = places.filter((place) => place % 3 !== part)
    return {
      id: `program/${part}`,
      samples: 2,
      shown: fit,
      fit,
      unseen: places.filter((place) => place % 3 === part),
      hint: null,
    }
  })
  return {
    parts,
    draft: {
      ...sample,
      spec: 'svc-sample-1',
      split: earlierSplit(input.rows, places),
      teacherPlan: { programs: parts, noPrograms: null, labels: null },
    },
  }
}
