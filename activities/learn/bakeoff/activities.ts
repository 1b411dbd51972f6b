import type { ErrorCode } from '../../../core/learn/errors.ts'
import { failContestant, finishBakeoff } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { answerRows } from './answer-rows.ts'
import { askContestant } from './ask-contestant.ts'
import { concludeBakeoff } from './conclude.ts'
import { operationOf, type BakeoffDeps, type BakeoffRef, type ContestantRef } from './deps.ts'
import { failureText } from './failure-text.ts'
import { judgePairs } from './judge-pairs.ts'

/** The activities of bake-offs. All are safe to repeat: a row is answered once by each contestant, and a bake-off ends once. */
export const createBakeoffActivities = (deps: BakeoffDeps) => ({
  answerRows: (ref: ContestantRef) => answerRows(deps, ref),
  askContestant: (ref: ContestantRef) => askContestant(deps, ref),
  judgePairs: (ref: BakeoffRef) => judgePairs(deps, ref),
  concludeBakeoff: (ref: BakeoffRef & { readonly judgeError: ErrorCode | null }) => concludeBakeoff(deps, ref),
  endContestant: ({ errorCode, ...ref }: ContestantRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      await failContestant(operationOf(deps, ref), ref, { code: errorCode, message: failureText(errorCode) })
    }),
  failBakeoff: ({ errorCode, ...ref }: BakeoffRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      const failure = { code: errorCode, message: failureText(errorCode) }
      await finishBakeoff(operationOf(deps, ref), ref.bakeoffId, { failure })
    }),
})

/** The activities of bake-offs, as their workflow sees them. */
export type BakeoffActivities = ReturnType<typeof createBakeoffActivities>
