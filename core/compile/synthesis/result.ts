import type { Json } from '../../kernel/json/json.ts'
import type { Equality } from '../rows/equality/equality.ts'
import type { Program } from '../language/ast.ts'

/** Budget of the synthesizer and number of programs to return. */
export interface SynthesisOptions {
  /** Maximum number of programs with different behaviour. */
  readonly k: number
  /** Budget in search steps; the result depends only on this number and the rows. */
  readonly workBudget: number
  /** Safety net in epoch milliseconds: the search ends there whatever its remaining budget. */
  readonly deadlineAt?: number
  /** Polled now and then; the search ends with the best programs so far once it returns true. */
  readonly isCancelled?: () => boolean
  /** Equality of the outputs; inferred from the rows when absent. */
  readonly equality?: Equality
  /** Inputs without an output. The search picks a few that differ; programs without an answer to them cost more. */
  readonly unlabelled?: readonly Json[]
  /** The task in words; a hint at most. */
  readonly task?: string
}

/** One program that was found. */
export interface ProgramCandidate {
  readonly program: Program
  /** Lower ranks first. Comparable only inside one result. */
  // oxlint-disable-next-line house/ranking -- it leaves the search as a number
  readonly cost: number
  /** Number of the given rows that the program gets right. */
  readonly trainMatches: number
}

/** Result of a search, best first. */
export interface SynthesisResult {
  readonly candidates: readonly ProgramCandidate[]
  readonly workUsed: number
  /** Reasons for which the language refused dropped candidates. */
  readonly dropped: readonly string[]
  /** True when the search ended early, by budget, deadline or cancellation. */
  readonly exhausted: boolean
}
