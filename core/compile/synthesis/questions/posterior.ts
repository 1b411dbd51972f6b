import { exp } from '../../../model/tabular/exact-math.ts'
import { compileProgram } from '../../language/evaluate/evaluate.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { Row } from '../../rows/task.ts'
import type { Program } from '../../language/ast.ts'
import type { ProgramCandidate } from '../result.ts'
import { NONE_PER_ROW, TEMPERATURE } from '../ranking/cost.ts'

/**
 * A program that gets every given row right, with its cost from the search. Plain JSON, so that documents can hold it;
 * the candidates of one search in `SynthesisResult` are such.
 */
export interface QuestionCandidate {
  readonly program: Program
  // oxlint-disable-next-line house/ranking -- it leaves the search as a number
  readonly cost: number
}

/** Candidates of a search that make up a posterior: the temperature was fitted on as many. */
export const MOST_CANDIDATES = 64

/**
 * Returns the candidates of a search that get all of these rows right, at most `MOST_CANDIDATES`. A search may have seen
 * a part of the rows.
 */
export function candidatesFor(
  candidates: readonly ProgramCandidate[],
  rows: readonly Pick<Row, 'input' | 'output'>[],
  equality: Equality,
): readonly QuestionCandidate[] {
  const isRight = ({ program }: ProgramCandidate): boolean => {
    const compiled = compileProgram(program)
    return rows.every(({ input, output }) => {
      const answer = compiled.attempt(input)
      return answer !== undefined && isSameOutput(equality, answer, output)
    })
  }
  return candidates
    .filter(isRight)
    .slice(0, MOST_CANDIDATES)
    .map(({ program, cost }) => ({ program, cost }))
}

/**
 * Returns the probability of each candidate to be the program that is meant, in their order; the sum is 1. It is the
 * softmax of the negative costs over the temperature of `ranking.json`, as in FlashMeta's ranked version spaces with the
 * cost as an energy. Candidates must come from one search: costs of two searches do not compare.
 */
export function posteriorOf(candidates: readonly Pick<QuestionCandidate, 'cost'>[]): readonly number[] {
  const least = candidates.reduce((min, { cost }) => Math.min(min, cost), Infinity)
  const weights = candidates.map(({ cost }) => exp((least - cost) / TEMPERATURE))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/**
 * Returns the probability that one of the candidates is right, given the number of rows that they were found on. The
 * alternative is that none is right; its cost grows with the rows that a wrong program would have to fit by chance. A
 * single program that is as long as a list of its rows gets a small probability.
 */
export function shareOfAny(candidates: readonly Pick<QuestionCandidate, 'cost'>[], rows: number): number {
  const none = NONE_PER_ROW * rows
  const least = candidates.reduce((min, { cost }) => Math.min(min, cost), none)
  const any = candidates.reduce((total, { cost }) => total + exp((least - cost) / TEMPERATURE), 0)
  return any / (any + exp((least - none) / TEMPERATURE))
}
