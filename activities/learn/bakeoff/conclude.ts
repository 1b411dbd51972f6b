import type { ErrorCode } from '../../../core/learn/errors.ts'
import { bradleyTerry } from '../../../core/kernel/statistics/bradley-terry.ts'
import type { JudgeSummary } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { figuresOf } from '../../../core/learn/evals/bakeoff/figures.ts'
import { comparePairs } from '../../../core/learn/evals/bakeoff/pairs.ts'
import { recommend } from '../../../core/learn/evals/bakeoff/recommend.ts'
import { findBakeoff } from '../../../db/learn/bakeoffs/find-bakeoff.ts'
import { listPreferences } from '../../../db/learn/bakeoffs/preferences.ts'
import { finishBakeoff, listAnswers } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type BakeoffDeps, type BakeoffRef } from './deps.ts'

/**
 * Ends a bake-off with the figures of all contestants that have answered. Safe to repeat: the same answers give the same figures,
 * and the bake-off ends once. `judgeError` says why the judge stopped.
 */
export async function concludeBakeoff(
  deps: BakeoffDeps,
  { judgeError, ...ref }: BakeoffRef & { readonly judgeError: ErrorCode | null },
): Promise<void> {
  await runActivity(deps.log, async () => {
    const op = operationOf(deps, ref)
    const { definition, contestants, finishedAt } = await findBakeoff(op, ref.bakeoffId)
    if (finishedAt !== null) return
    const byContestant = Map.groupBy(await listAnswers(op, ref.bakeoffId), ({ contestant }) => contestant)
    const finished = definition.contestants.flatMap((contestant, place) => {
      const answers = byContestant.get(place) ?? []
      const isDone = answers.length > 0 && contestants[place]?.errorCode === null
      return isDone ? [{ place, contestant, answers, figures: figuresOf(answers) }] : []
    })
    const places = finished.map(({ place }) => place)
    const { judge: model, margin } = definition.options
    await finishBakeoff(op, ref.bakeoffId, {
      summary: {
        pairs: comparePairs(finished),
        recommendation: recommend(finished, margin),
        judge: model === null ? null : await judgeSummary(op, ref, { model, places, errorCode: judgeError }),
      },
      rowCount: Math.max(0, ...finished.map(({ figures }) => figures.n)),
      figures: finished.map(({ place, figures }) => ({ contestant: place, figures })),
    })
  })
}

async function judgeSummary(
  op: Operation,
  { bakeoffId }: BakeoffRef,
  { model, places, errorCode }: { readonly places: readonly number[] } & Pick<JudgeSummary, 'model' | 'errorCode'>,
): Promise<JudgeSummary> {
  const said = await listPreferences(op, bakeoffId)
  const preferences = said.flatMap(({ first, second, won }) => {
    const at = [places.indexOf(first), places.indexOf(second)] as const
    return won === null || won === undefined || at.includes(-1) ? [] : [{ first: at[0], second: at[1], won }]
  })
  const paid = said.map(({ cost }) => cost.usd)
  return {
    model,
    errorCode,
    judged: preferences.length,
    unread: said.length - preferences.length,
    usd: paid.reduce<number | null>((sum, usd) => (sum === null || usd === null ? null : sum + usd), 0),
    strengths:
      preferences.length === 0
        ? []
        : bradleyTerry(places.length, preferences).map((strength, at) => ({
            ...strength,
            contestant: places[at] ?? 0,
          })),
  }
}
