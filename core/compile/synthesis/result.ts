import type { Program } from '../language/ast.ts'

/** What the synthesizer may spend and how many programs it should bring back. */
export interface SynthesisOptions {
  /** How many programs with different behaviour to return at most. */
  readonly k: number
  /** Search steps that may be spent; the result depends on this number and the rows only. */
  readonly workBudget: number
  /** Safety net in epoch milliseconds: the search ends there whatever it has left to spend. */
  readonly deadlineAt?: number
  /** Asked now and then; the search ends with the best programs so far once it answers true. */
  readonly isCancelled?: () => boolean
  /** The task in words; a hint at most. */
  readonly task?: string
}

/** One program that was found. */
export interface ProgramCandidate {
  readonly program: Program
  /** Lower ranks first. Comparable only inside one result. */
  readonly cost: number
  /** How many of the given rows the program gets right. */
  readonly trainMatches: number
}

/** What a search brought back, best first. */
export interface SynthesisResult {
  readonly candidates: readonly ProgramCandidate[]
  readonly workUsed: number
  /** Why candidates were dropped that the language refuses. */
  readonly dropped: readonly string[]
  /** True when the search ended early, by budget, deadline or cancellation. */
  readonly exhausted: boolean
}
