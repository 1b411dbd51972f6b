import { figuresOf } from '../../../core/learn/evals/bakeoff/figures.ts'
import { comparePairs } from '../../../core/learn/evals/bakeoff/pairs.ts'
import { recommend } from '../../../core/learn/evals/bakeoff/recommend.ts'
import { findBakeoff } from '../../../db/learn/bakeoffs/find-bakeoff.ts'
import { finishBakeoff, listAnswers } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { operationOf, type BakeoffDeps, type BakeoffRef } from './deps.ts'

/**
 * Ends a bake-off with the figures of all contestants that have answered. Safe to repeat: the same answers give the same figures,
 * and the bake-off ends once.
 */
export async function concludeBakeoff(deps: BakeoffDeps, ref: BakeoffRef): Promise<void> {
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
    await finishBakeoff(op, ref.bakeoffId, {
      summary: { pairs: comparePairs(finished), recommendation: recommend(finished, definition.options.margin) },
      rowCount: Math.max(0, ...finished.map(({ figures }) => figures.n)),
      figures: finished.map(({ place, figures }) => ({ contestant: place, figures })),
    })
  })
}
