import { setImmediate as nextTick } from 'node:timers/promises'
import { runTerms } from '../../../core/compile/stages/pool/run-terms.ts'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { BakeoffAnswer } from '../../../core/learn/evals/bakeoff/answer.ts'
import type { BakeoffRow } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { createComparator } from '../../../core/learn/evals/bakeoff/compare-output.ts'
import { areTexts } from '../../../core/learn/evals/bakeoff/prompts.ts'
import { recipeKinds } from '../../../db/compile/compute/recipe-kinds.ts'
import { answeredPlaces, beginBakeoff, recordAnswers, recordFacts } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import { inSlot, type HeldSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type BakeoffDeps, type ContestantRef } from './deps.ts'
import { orRecorded } from './or-recorded.ts'
import { withAnswerer } from './open-answerer.ts'
import { readBakeoffRows } from './read-rows.ts'

/** Answers that are recorded together: a crash repeats at most these. */
const ROWS_AT_ONCE = 16
/** The same where a base generates: other tenants wait for the end of a step. */
const GENERATED_AT_ONCE = 1

/**
 * Lets a contestant that runs here answer the rows that it has not answered. Safe to repeat: answers are recorded as they come, each once.
 * A contestant that cannot answer has its reason recorded, and the bake-off continues. Returns the number of answered rows.
 */
export async function answerRows(deps: BakeoffDeps, ref: ContestantRef): Promise<number> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const begun = await beginBakeoff(op, ref.bakeoffId)
      const contestant = begun?.definition.contestants[ref.contestant]
      if (begun === null || contestant === undefined) return 0
      const kinds = await recipeKinds(op, ref.tenantId, [contestant])
      const terms = runTerms([contestant], kinds)
      return await orRecorded(
        op,
        ref,
        activity.attempt,
        async () =>
          await inSlot(deps, { ...terms, work: ref }, activity, async (working, slot) => {
            const { options } = begun.definition
            const { namespace, datasetId, datasetVersion: version } = begun
            const limits = { train: deps.limits.bakeoff_train_rows, held: options.rows }
            const { train, held } = await readBakeoffRows(op, { datasetId, version, ...limits })
            working.progress()
            const isText = areTexts([...train, ...held])
            const opening = { contestant, kinds, options, train, isText }
            return await withAnswerer(deps, ref, opening, working, async (answerer) => {
              await recordFacts(op, ref, answerer.facts)
              const known = await answeredPlaces(op, ref)
              const left = held.filter(({ place }) => !known.has(place))
              const outputs = [...train, ...held].map(({ output }) => output)
              const compare = createComparator(options.comparator, outputs)
              const atOnce = terms.takesTurns ? GENERATED_AT_ONCE : ROWS_AT_ONCE
              const answering = { deps, ref, slot, namespace, compare, left, atOnce, total: held.length }
              return await answerAll(answering, answerer.answer, working)
            })
          }),
      )
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

interface Answering {
  readonly deps: BakeoffDeps
  readonly ref: ContestantRef
  readonly slot: HeldSlot
  readonly namespace: string
  readonly compare: ReturnType<typeof createComparator>
  readonly left: readonly BakeoffRow[]
  readonly atOnce: number
  readonly total: number
}

async function answerAll(
  { deps, ref, slot, namespace, compare, left, atOnce, total }: Answering,
  answer: (rows: readonly BakeoffRow[]) => Promise<readonly BakeoffAnswer[]>,
  activity: RunningActivity,
): Promise<number> {
  const op = operationOf(deps, ref)
  let answered = total - left.length
  for (let from = 0; from < left.length; from += atOnce) {
    activity.signal.throwIfAborted()
    const rows = left.slice(from, from + atOnce)
    const byPlace = new Map(rows.map((row) => [row.place, row]))
    const answers = (await answer(rows)).map((given) => {
      const row = byPlace.get(given.place)
      if (row === undefined) throw LEARN_ERRORS.bakeoff_failed('an answer belongs to no row')
      const compared = given.silence === null ? compare(given.output, row.output) : { isRight: false, score: 0 }
      return { ...given, ...compared, group: row.group }
    })
    answered = await recordAnswers(op, { ...ref, namespace, answers })
    activity.note({ step: 'answer', done: answered, total })
    if (answered < total) await slot.nextTurn()
    await nextTick()
  }
  return answered
}
