import type { CodeVerdict } from '../code/sandbox.ts'

/** The judgement of one turn. */
export interface TurnJudgement {
  /** 0 to 10; null where the judge gave none. */
  readonly score: number | null
  /** Why there is none; null with a score. */
  readonly error: string | null
}

/** Marks for the answers of a row where nothing is compared. */
export type RowMarks =
  /** The ends of the programs, one for each completion. */
  | { readonly type: 'code'; readonly verdicts: readonly CodeVerdict[] }
  /** The judge's words, one for each turn. */
  | { readonly type: 'judge'; readonly turns: readonly TurnJudgement[] }

/** Returns the number of programs that passed. */
export function passedCount({ verdicts }: Extract<RowMarks, { readonly type: 'code' }>): number {
  return verdicts.filter((verdict) => verdict === 'passed').length
}

/** Returns the mean score of the turns; null when one of them has none: an error of the judge is no score. */
export function scoreOf({ turns }: Extract<RowMarks, { readonly type: 'judge' }>): number | null {
  const scores = turns.flatMap(({ score }) => (score === null ? [] : [score]))
  if (scores.length === 0 || scores.length < turns.length) return null
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}
