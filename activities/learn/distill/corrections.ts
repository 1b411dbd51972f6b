import type { Row } from '../../../core/compile/rows/task.ts'
import { ACCEPTED_SHARE, vote } from '../../../core/compile/stages/teacher/labels/vote.ts'
import { checkOutput } from '../../../core/compile/stages/verifier/check-output.ts'
import { synthesizeVerifier } from '../../../core/compile/stages/verifier/synthesize-verifier.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { TEACHER_SAMPLES } from '../../../core/learn/distill/relabel.ts'
import type { RunSample } from '../../../db/learn/distill/teacher-samples.ts'

/** The rows of a run to learn from, and those that were put aside. */
export interface RunSides {
  readonly train: readonly Row[]
  readonly aside: readonly Row[]
}

/**
 * Returns the answers of put-aside rows on which enough samples of the teacher agree and which the verifier of the other rows lets pass, by
 * the id of the row. The same samples give the same answers.
 */
export function correctionsOf(samples: readonly RunSample[], { train, aside }: RunSides): ReadonlyMap<string, Json> {
  const corrected = new Map<string, Json>()
  if (samples.length === 0 || train.length === 0) return corrected
  const verifier = synthesizeVerifier(train, { negatives: [] })
  const byRow = Map.groupBy(samples, ({ rowId }) => rowId)
  for (const { id, input } of aside) {
    const { output, share } = vote(byRow.get(id) ?? [], TEACHER_SAMPLES)
    if (share >= ACCEPTED_SHARE && checkOutput(verifier, input, output).pass) corrected.set(id, output)
  }
  return corrected
}
