import type { JsonObject } from '../../../../kernel/json/json.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import { answerOf } from '../../scoring/evaluate.ts'
import type { Equality } from '../../../rows/equality/equality.ts'
import { openCandidate } from '../../candidate.ts'
import type { StageHooks } from '../../stage-types.ts'
import type { Row } from '../../../rows/task.ts'
import { startClock } from '../../clock/stage-clock.ts'
import type { WrongRow } from './program-prompt.ts'

/** Programs to be tried on rows. */
export interface TrialInput {
  readonly programs: readonly JsonObject[]
  readonly rows: readonly Row[]
  readonly equality: Equality
}

/** Results of the programs, in their order. */
export interface TrialOutput {
  readonly trials: readonly { readonly right: number; readonly wrong: readonly WrongRow[] }[]
}

/** Wrong rows that are kept of each program. */
const KEPT_WRONG = 20

/** Runs programs on rows, in a compute thread. Throws `recipe_failed` for an invalid program, `compile_cancelled`. */
export function tryPrograms(input: TrialInput, hooks: StageHooks = {}): TrialOutput {
  const clock = startClock('k-sample', hooks)
  return {
    trials: input.programs.map((recipe) => {
      const runner = openCandidate({ kind: 'program', recipe })
      const wrong: WrongRow[] = []
      let right = 0
      for (const row of input.rows) {
        clock.checkpoint()
        const { output, abstained, error } = answerOf(runner, row.input)
        const failed = error !== null || abstained
        if (!failed && isSameOutput(input.equality, output, row.output)) right++
        else if (wrong.length < KEPT_WRONG) wrong.push({ row, got: output, failed })
      }
      return { right, wrong }
    }),
  }
}
