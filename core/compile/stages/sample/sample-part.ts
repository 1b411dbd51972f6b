import { pickUnlabelled } from '../../synthesis/search/pick-unlabelled.ts'
import { COMPILE_ERRORS } from '../../errors.ts'
import { unlabelledApart } from '../../rows/intake/unlabelled-apart.ts'
import type { Split } from '../../rows/split/split-report.ts'
import { splitBothWays, type Splits } from '../../rows/split/split-rows.ts'
import type { Row } from '../../rows/task.ts'
import { negativesApartFrom } from '../negatives-apart.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { startClock, type StageClock } from '../clock/stage-clock.ts'
import type { KindCandidates, SampleInput, StageHooks } from '../stage-types.ts'
import { answerByClassifier, sampleClassifiers } from './sample-classifier.ts'
import { answerByComposite, sampleComposite } from './composite/sample-composite.ts'
import { MAX_K } from './sample-count.ts'
import { answerByTabular, sampleTabular } from './sample-tabular.ts'
import {
  answerByPrograms,
  samplePrograms,
  type FoldSamples,
  type KindInput,
  type KindSamples,
} from './sample-program.ts'

/** A part of `k-sample` that can run beside the others: one kind, fitted on all rows or without one fold. */
export interface SamplePart {
  readonly kind: KindCandidates['kind']
  /** The fold whose rows are left out and answered; null for the fit on all rows. */
  readonly fold: number | null
}

/** Input of one part. Plain data: it crosses threads. */
export interface PartInput {
  readonly input: SampleInput
  readonly split: Split
  readonly part: SamplePart
}

/** Result of one part. */
export interface PartOutput {
  readonly part: SamplePart
  /** Candidates of the fit on all rows; null for a fold. */
  readonly whole: KindSamples | null
  /** Answers of a fold; null for the fit on all rows. */
  readonly fold: FoldSamples | null
  readonly cpuMs: number
}

/** The kinds that are made for every task, in the order of trying them; a composite follows where one is needed. */
export const SAMPLED_KINDS = ['program', 'classifier', 'tabular'] as const

/** Functions of each kind: fitting on all rows, and answering rows outside the fit. */
const SAMPLERS = {
  program: { whole: samplePrograms, answer: answerByPrograms },
  classifier: { whole: sampleClassifiers, answer: answerByClassifier },
  tabular: { whole: sampleTabular, answer: answerByTabular },
  composite: { whole: sampleComposite, answer: answerByComposite },
} as const

/** Divides the rows of a compile. Throws `no_examples` and `train_holdout_leakage`. */
export function splitSample(input: SampleInput): Splits {
  if (input.rows.length === 0) throw COMPILE_ERRORS.no_examples('there is no row to learn from')
  return splitBothWays(input.rows, {
    ...(input.splitSeed === undefined ? {} : { seed: input.splitSeed }),
    ...(input.evalSource === undefined ? {} : { evalSource: input.evalSource }),
    unlabelled: unlabelledOf(input).all,
  })
}

/** Rows to learn from and rows to score with, as positions. */
interface Sides {
  readonly train: readonly number[]
  readonly held: readonly number[]
}

/** Returns the sides of a split: with cross-fitting nothing is held back from the recipe that ships. */
export function sidesOf({ mode, train, holdout }: Split): Sides {
  const isInTurn = mode === 'cross_fit' || mode === 'leave_one_out'
  return { train, held: isInTurn ? [] : holdout }
}

/** Returns the number of samples that each kind records at most. */
export function requestedSamples({ k }: Pick<SampleInput, 'k'>): number {
  return Math.min(MAX_K, Math.max(1, k))
}

/** Returns the unlabelled inputs of a compile that belong to no row: every search of the compile picks the same. */
export function unlabelledOf({ rows, unlabelled = [] }: SampleInput): KindInput['unlabelled'] {
  if (unlabelled.length === 0) return { picked: [], all: [] }
  const all = unlabelledApart(rows, unlabelled).map(({ input }) => input)
  return {
    picked: pickUnlabelled(
      rows.map(({ input }) => input),
      all,
    ),
    all,
  }
}

/** Returns the input of a kind's sampling: the rows to learn from, without any fact about the others. */
export function kindInputOf(
  input: SampleInput,
  equality: Equality,
  sides: Sides,
  clock: StageClock,
  hooks: StageHooks,
): KindInput {
  const rowsAt = (places: readonly number[]): readonly Row[] => places.flatMap((place) => input.rows[place] ?? [])
  const train = rowsAt(sides.train)
  return {
    train,
    unlabelled: unlabelledOf(input),
    negatives: negativesApartFrom(input.negatives, rowsAt(sides.held)),
    equality,
    outputs: input.rows.map(({ output }) => output),
    request: { ...input, k: requestedSamples(input) },
    clock,
    isCancelled: () => hooks.isCancelled?.() === true,
  }
}

/** Runs one part. Deterministic for the same rows unless the time runs out before the work budget. Throws `compile_cancelled`. */
export function samplePart({ input, split, part }: PartInput, hooks: StageHooks = {}): PartOutput {
  const clock = startClock('k-sample', hooks)
  clock.checkpoint()
  const { kind, fold } = part
  const equality = taskEquality(input.rows, split, input.tolerances)
  if (fold === null) {
    const kindInput = kindInputOf(input, equality, sidesOf(split), clock, hooks)
    return { part, whole: SAMPLERS[kind].whole(kindInput), fold: null, cpuMs: clock.cpuMs() }
  }
  const held = split.folds?.[fold] ?? []
  const leftOut = new Set(held)
  const kindInput = kindInputOf(
    input,
    equality,
    { train: split.train.filter((place) => !leftOut.has(place)), held },
    clock,
    hooks,
  )
  const rows = held.flatMap((place) => input.rows[place] ?? [])
  return { part, whole: null, fold: SAMPLERS[kind].answer(kindInput, rows), cpuMs: clock.cpuMs() }
}

/** Returns the parts that cross-fit a kind, once its fit on all rows has a candidate; none where other rows score it. */
export function foldParts(split: Split, { part, whole }: PartOutput): readonly SamplePart[] {
  if (whole === null || whole.candidates === null) return []
  return (split.folds ?? []).map((_, fold) => ({ kind: part.kind, fold }))
}
