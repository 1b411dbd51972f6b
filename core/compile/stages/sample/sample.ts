import { COMPILE_ERRORS } from '../../errors.ts'
import type { Split } from '../../rows/split/split-report.ts'
import { splitRows } from '../../rows/split/split-rows.ts'
import { sampleClassifiers } from './sample-classifier.ts'
import { samplePrograms, type KindInput } from './sample-program.ts'
import { negativesApartFrom } from '../negatives-apart.ts'
import { MAX_K } from './sample-count.ts'
import { planTeaching } from '../teacher/plan-questions.ts'
import { taskEquality } from '../task-equality.ts'
import { startClock, type StageClock } from '../stage-clock.ts'
import type { SampleInput, SampleOutput, StageHooks } from '../stage-types.ts'

/** Reasons that are kept of candidates which were dropped. */
const MAX_DROPPED = 20

/** Returns the input of the kinds' sampling: the train rows, without the held-out rows. */
export function kindInputOf(input: SampleInput, split: Split, clock: StageClock, hooks: StageHooks): KindInput {
  const train = split.train.flatMap((place) => input.rows[place] ?? [])
  const leaveOneOut = split.mode === 'leave_one_out'
  // With leave-one-out each fold drops those of its own row.
  const held = leaveOneOut ? [] : split.holdout.flatMap((place) => input.rows[place] ?? [])
  return {
    train,
    leaveOneOut,
    negatives: negativesApartFrom(input.negatives, held),
    equality: taskEquality(input.rows, split),
    request: { ...input, k: Math.min(MAX_K, Math.max(1, input.k)) },
    clock,
    isCancelled: () => hooks.isCancelled?.() === true,
  }
}

/**
 * Runs the stage `k-sample`: splits the rows, then searches for programs with the synthesizer and trains classifiers,
 * from the train rows alone. With leave-one-out it also answers each row by recipes made without it. Deterministic for
 * the same rows unless the time runs out before the work budget. Throws `no_examples`, `train_holdout_leakage`, and
 * `compile_cancelled` when the caller cancels.
 */
export function sampleCandidates(input: SampleInput, hooks: StageHooks = {}): SampleOutput {
  const clock = startClock('k-sample', hooks)
  if (input.rows.length === 0) throw COMPILE_ERRORS.no_examples('there is no row to learn from')
  clock.report('split', 0)
  const split = splitRows(input.rows, {
    ...(input.splitSeed === undefined ? {} : { seed: input.splitSeed }),
    ...(input.evalSource === undefined ? {} : { evalSource: input.evalSource }),
  })
  clock.checkpoint()
  const kindInput = kindInputOf(input, split, clock, hooks)
  const programs = samplePrograms(kindInput)
  const classifiers = sampleClassifiers(kindInput)
  const { equality } = kindInput
  const samples = [...programs.records, ...classifiers.records]
  const kinds = [programs.candidates, classifiers.candidates].filter((candidates) => candidates !== null)
  const teaching = planTeaching({ ...input, split, equality, samples, kinds })
  clock.report('done', 100)
  return {
    spec: 'svc-sample-1',
    split,
    equality,
    samples,
    kinds,
    ...teaching,
    teacherRows: [],
    notApplicable: [
      ...(programs.reason === null ? [] : [{ kind: 'program' as const, reason: programs.reason }]),
      ...(classifiers.reason === null ? [] : [{ kind: 'classifier' as const, reason: classifiers.reason }]),
    ],
    dropped: programs.dropped.slice(0, MAX_DROPPED),
    cutShort: programs.isCutShort ? ['program'] : [],
    cost: clock.cost({
      searchSteps: programs.searchSteps,
      trainingSteps: programs.trainingSteps + classifiers.trainingSteps,
    }),
  }
}
