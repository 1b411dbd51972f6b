import pLimit from 'p-limit'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import type { JudgedAnswer } from '../../../core/learn/evals/bakeoff/answer.ts'
import type { BakeoffRow } from '../../../core/learn/evals/bakeoff/bakeoff.ts'
import { createComparator } from '../../../core/learn/evals/bakeoff/compare-output.ts'
import { isAsked } from '../../../core/learn/evals/bakeoff/contestant.ts'
import { areTexts, chooseShown, promptText, readOutput } from '../../../core/learn/evals/bakeoff/prompts.ts'
import { answeredPlaces, beginBakeoff, recordAnswers, recordFacts } from '../../../db/learn/bakeoffs/run-bakeoff.ts'
import { COMPUTE_STILL_MS, runActivity } from '../../kernel/run-activity.ts'
import { ask } from './ask.ts'
import { operationOf, type BakeoffDeps, type ContestantRef } from './deps.ts'
import { orRecorded } from './or-recorded.ts'
import { readBakeoffRows } from './read-rows.ts'

/** Questions under way at once. */
const AT_ONCE = 4

/**
 * Asks a model of a provider for the rows that it has not answered. Safe to repeat: each answer is recorded as it comes, so none is paid
 * for twice. A model that cannot be asked has its reason recorded, and the bake-off continues. Returns the number of answered rows.
 */
export async function askContestant(deps: BakeoffDeps, ref: ContestantRef): Promise<number> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const begun = await beginBakeoff(op, ref.bakeoffId)
      const contestant = begun?.definition.contestants[ref.contestant]
      if (begun === null || contestant === undefined) return 0
      if (!isAsked(contestant)) throw LEARN_ERRORS.bakeoff_failed('the contestant asks no model')
      return await orRecorded(op, ref, activity.attempt, async () => {
        const { options, caller } = begun.definition
        const { namespace, datasetId, datasetVersion: version } = begun
        const limits = { train: deps.limits.bakeoff_train_rows, held: options.rows }
        const { train, held } = await readBakeoffRows(op, { datasetId, version, ...limits })
        activity.progress()
        const model = await deps.models.open({ ...caller, tenantId: ref.tenantId, namespace }, contestant.model)
        const shown = contestant.kind === 'few_shot' ? chooseShown(train, options.shots) : []
        const { identity } = model
        await recordFacts(op, ref, {
          trainRows: shown.length,
          fitMs: null,
          fitCpuMs: null,
          cpuOf: null,
          provider: identity.provider,
          model: identity.model,
          priceSource: identity.prices?.source ?? null,
          privacy: identity.isLocal ? 'local' : 'byo-vendor',
          isDeterministic: false,
        })
        const compare = createComparator(
          options.comparator,
          [...train, ...held].map(({ output }) => output),
        )
        const isText = areTexts([...train, ...held])
        const answerOne = async (row: BakeoffRow, signal: AbortSignal): Promise<JudgedAnswer> => {
          const text = promptText({ instruction: options.instruction, shown }, row.input)
          const request = {
            messages: [{ role: 'user' as const, text }],
            temperature: 0,
            maxTokens: options.maxTokens,
            ...(!isText && { wantsJson: true }),
          }
          const said = await ask(model, request, signal)
          const read = said.text === null ? REFUSED : readOutput(said.text, isText)
          const compared = read.silence === null ? compare(read.output, row.output) : WRONG
          return { place: row.place, ...read, ...compared, cost: said.cost }
        }
        const known = await answeredPlaces(op, ref)
        const left = held.filter(({ place }) => !known.has(place))
        let answered = known.size
        await eachAtOnce(left, activity.signal, async (row, signal) => {
          const answers = [{ ...(await answerOne(row, signal)), group: row.group }]
          answered = Math.max(answered, await recordAnswers(op, { ...ref, namespace, answers }))
          activity.note({ step: 'ask', done: answered, total: held.length })
        })
        return answered
      })
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

const REFUSED = { output: null, silence: 'refused' } as const
const WRONG = { isRight: false, score: 0 } as const

/** Works through a list, some at once. The first failure ends what has not begun, and is thrown once all under way have ended. */
export async function eachAtOnce<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const limit = pLimit(AT_ONCE)
  let failure: { readonly error: unknown } | undefined
  await Promise.all(
    items.map((item) =>
      limit(async () => {
        if (failure !== undefined || signal.aborted) return
        try {
          await work(item, signal)
        } catch (error) {
          failure ??= { error }
        }
      }),
    ),
  )
  signal.throwIfAborted()
  if (failure !== undefined) throw failure.error
}
