import type { LaneName } from '../../../kernel/threads/cores.ts'
import type { RecipeKind } from '../../rows/task.ts'

/** Something that rows are put to: an artifact, a base by itself, or another kind, which asks no base of this service. */
export interface RunSubject {
  readonly kind: string
  /** Of the kind `artifact`. */
  readonly artifactId?: string | undefined
}

/** The terms on which work that runs recipes gets compute. */
export interface RunTerms {
  readonly lane: LaneName
  /** True for work that gives its slot up between two steps while others wait: the time of its activity includes their turns. */
  readonly takesTurns: boolean
  /** True for work whose time counts as unpaid compute of its tenant. */
  readonly isMetered: boolean
}

/** Rows of programs, classifiers and tabular models, leaves of composites included, take microseconds to milliseconds. */
const QUICK: RunTerms = { lane: 'short', takesTurns: false, isMetered: false }
/** The terms of work on a base, which generates each answer token by token. */
export const GENERATING: RunTerms = { lane: 'long', takesTurns: true, isMetered: true }

/** The terms of a measurement of inference: its calls are as many as were ordered, whatever recipe they run. */
export const MEASURING: RunTerms = GENERATING

/** The kinds of the recipes of artifacts, by id. An artifact that is missing cannot be run. */
export type RecipeKinds = ReadonlyMap<string, RecipeKind>

/** Returns true for a subject that a base of this service answers for: a base by itself, or an adapter. */
export function needsBase({ kind, artifactId }: RunSubject, kinds: RecipeKinds): boolean {
  return kind === 'base' || (artifactId !== undefined && kinds.get(artifactId) === 'lora')
}

/** Returns the terms of work that puts rows to `subjects`: those of generation when one of them needs a base. */
export function runTerms(subjects: readonly RunSubject[], kinds: RecipeKinds): RunTerms {
  return subjects.some((subject) => needsBase(subject, kinds)) ? GENERATING : QUICK
}
