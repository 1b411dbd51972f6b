import { log } from '../../../model/tabular/exact-math.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { compileProgram, type CompiledProgram } from '../../language/evaluate/evaluate.ts'
import { isSameValue, openEquality, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import { posteriorOf, type QuestionCandidate } from './posterior.ts'

/** One answer to an input, and the share of the posterior that gives it. */
export interface RivalAnswer {
  readonly output: Json
  readonly share: number
}

/** The answers of all candidates to one input. */
export interface RivalAnswers {
  /** The largest share first; equal shares in the order of the candidates. */
  readonly answers: readonly RivalAnswer[]
  /** Share of the posterior that has no answer. The shares of `answers` and this one sum to 1. */
  readonly unanswered: number
  /** Answer of the cheapest candidate; null where it has none. */
  readonly best: { readonly output: Json } | null
}

/** Candidates that are ready to answer, with their shares of the posterior. */
export class Rivals {
  readonly #programs: readonly { readonly compiled: CompiledProgram; readonly share: number }[]
  readonly #equality: EqualityNode

  constructor(candidates: readonly QuestionCandidate[], equality: Equality) {
    const shares = posteriorOf(candidates)
    this.#programs = candidates
      .map(({ program }, place) => ({ compiled: compileProgram(program), share: shares[place] ?? 0 }))
      .toSorted((a, b) => b.share - a.share)
    this.#equality = openEquality(equality)
  }

  /** Runs every candidate. Answers that the task's equality takes for one are joined under the likeliest candidate's. */
  answer(input: Json): RivalAnswers {
    const groups: { readonly output: Json; share: number }[] = []
    let unanswered = 0
    let best: RivalAnswers['best'] = null
    for (const [place, { compiled, share }] of this.#programs.entries()) {
      const output = compiled.attempt(input)
      if (output === undefined) {
        unanswered += share
        continue
      }
      if (place === 0) best = { output }
      const group = groups.find((one) => isSameValue(this.#equality, one.output, output))
      if (group === undefined) groups.push({ output, share })
      else group.share += share
    }
    return { answers: groups.toSorted((a, b) => b.share - a.share), unanswered, best }
  }
}

/** Share of the posterior that the leading answer needs for an input to count as decided. */
export const DECIDED_SHARE = 0.95

/** Returns true when one answer has at least `DECIDED_SHARE` of the posterior, of which the candidates have `share`. */
export function isDecided({ answers }: RivalAnswers, share: number): boolean {
  return (answers[0]?.share ?? 0) * share >= DECIDED_SHARE
}

/** Returns the entropy of the answers in nats, the lack of an answer counted as one: how much they split the posterior. */
export function entropyOf({ answers, unanswered }: RivalAnswers): number {
  const terms = [...answers.map(({ share }) => share), unanswered]
  return terms.reduce((sum, share) => (share > 0 ? sum - share * log(share) : sum), 0)
}
