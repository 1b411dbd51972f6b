import { canonicalJson } from '../../../kernel/json/json.ts'
import { agreementRunner, weighAlternatives, type Alternative } from '../../runtime/certificate/agreement.ts'
import { answerOf } from '../scoring/evaluate.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { FoldAnswer } from '../stage-types.ts'
import type { ProgramCandidate } from '../../synthesis/result.ts'
import type { Row } from '../../rows/task.ts'
import {
  isRight,
  isUsable,
  runRound,
  SearchLimits,
  type JudgedProgram,
  type ProgramSearch,
  type Round,
} from './judge-round.ts'
import { HOLD_BACK_FROM, holdRowsBack, pickFirst } from './searched-rows.ts'

/** Rows that the first search sees; rows that its programs get wrong are added round by round. */
const FIRST_ROWS = 32
const ADDED_ROWS = 12
/** Share of the work budget of each round. */
const ROUND_SHARES = [0.5, 0.25, 0.15] as const
const REFIT_SHARE = 0.1

/** Runs of the synthesizer that a search over so many rows takes at most. */
export function countSearches(rows: number): number {
  return rows < HOLD_BACK_FROM ? 1 : ROUND_SHARES.length + 1
}

/** The programs of a search, best first. */
export interface ProgramSearchResult {
  readonly programs: readonly JudgedProgram[]
  readonly searchSteps: number
  /** True when its steps ran out before it was done. */
  readonly exhausted: boolean
  /** True when the clock ended it: on a faster machine the programs might be others. */
  readonly isCutShort: boolean
  /** Reasons for which the language refused dropped candidates. */
  readonly dropped: readonly string[]
  readonly competition: 'held_back_rows' | 'rank'
  /** The programs of the last search, cheapest first. */
  readonly candidates: readonly ProgramCandidate[]
}

/**
 * Orders programs: refused ones last, then by fewest violated negatives, most right rows, most right held-back rows
 * (programs without that evidence after all others), and lowest cost.
 */
function compare(a: JudgedProgram, b: JudgedProgram): number {
  return (
    Number(a.isMemorising) - Number(b.isMemorising) ||
    a.negativesViolated - b.negativesViolated ||
    b.trainRight - a.trainRight ||
    (b.heldBack?.right ?? -1) - (a.heldBack?.right ?? -1) ||
    a.cost - b.cost
  )
}

function distinct(programs: readonly JudgedProgram[]): readonly JudgedProgram[] {
  const seen = new Map<string, JudgedProgram>()
  for (const program of programs) {
    const key = canonicalJson(program.recipe)
    if (!seen.has(key)) seen.set(key, program)
  }
  return [...seen.values()]
}

function wrongRows(programs: readonly JudgedProgram[], rows: readonly Row[], equality: Equality): readonly Row[] {
  const best = programs.toSorted(compare)[0]
  if (best === undefined) return []
  return rows.filter((row) => !isRight(best.runner, row, equality)).slice(0, ADDED_ROWS)
}

/**
 * Returns held-back rows that refute the best program; where another row does, those that refute the cheapest program that
 * is right on all rows of the fit.
 */
function refutingRows(
  programs: readonly JudgedProgram[],
  fit: readonly Row[],
  heldBack: readonly Row[],
  equality: Equality,
): readonly Row[] {
  const missed = wrongRows(programs, heldBack, equality)
  if (missed.length > 0 || wrongRows(programs, fit, equality).length === 0) return missed
  const fitting = programs.filter(isUsable).filter((one) => fit.every((row) => isRight(one.runner, row, equality)))
  const cheapest = fitting.toSorted((a, b) => a.cost - b.cost).slice(0, 1)
  return wrongRows(cheapest, heldBack, equality)
}

/**
 * Searches programs for train rows. With few rows, one search over all of them. With more, a quarter is held back; the
 * search starts from some rows and adds rows that its best program gets wrong (counter-examples), and the candidates
 * compete on all train rows, those proven on held-back rows first. If the winner fails on held-back rows, a last search
 * includes these too.
 */
export function searchPrograms(rows: readonly Row[], search: ProgramSearch): ProgramSearchResult {
  if (rows.length === 0) {
    return {
      programs: [],
      searchSteps: 0,
      exhausted: false,
      isCutShort: false,
      dropped: [],
      competition: 'rank',
      candidates: [],
    }
  }
  const limits = new SearchLimits(search)
  if (rows.length < HOLD_BACK_FROM) {
    const { programs, steps, exhausted, dropped, candidates } = runRound(search, limits, {
      seen: rows,
      fit: rows,
      heldBack: [],
      share: 1,
      honest: true,
    })
    // Otherwise in the synthesizer's order: its cost weighs the rows that a program misses already.
    const ranked = programs.toSorted(
      (a, b) => Number(a.isMemorising) - Number(b.isMemorising) || a.negativesViolated - b.negativesViolated,
    )
    return {
      programs: ranked.slice(0, search.k),
      searchSteps: steps,
      exhausted,
      isCutShort: limits.isCutShort,
      dropped,
      competition: 'rank',
      candidates,
    }
  }
  const { fit, heldBack } = holdRowsBack(rows)
  let seen = pickFirst(fit, FIRST_ROWS)
  let programs: readonly JudgedProgram[] = []
  let searchSteps = 0
  let exhausted = false
  const dropped: string[] = []
  let candidates: readonly ProgramCandidate[] = []
  const take = (round: Round): void => {
    programs = distinct([...programs, ...round.programs])
    searchSteps += round.steps
    exhausted ||= round.exhausted
    candidates = round.candidates
    dropped.push(...round.dropped)
  }
  for (const share of ROUND_SHARES) {
    take(runRound(search, limits, { seen, fit, heldBack, share, honest: true }))
    const wrong = wrongRows(programs, fit, search.equality)
    const known = new Set(seen.map(({ id }) => id))
    const added = wrong.filter(({ id }) => !known.has(id))
    if (added.length === 0 || !limits.mayGoOn()) break
    seen = [...seen, ...added]
  }
  const missed = refutingRows(programs, fit, heldBack, search.equality)
  if (missed.length > 0 && limits.mayGoOn()) {
    take(runRound(search, limits, { seen: [...seen, ...missed], fit, heldBack, share: REFIT_SHARE, honest: false }))
  }
  return {
    programs: programs.toSorted(compare).slice(0, search.k),
    searchSteps,
    exhausted,
    isCutShort: limits.isCutShort,
    dropped,
    competition: 'held_back_rows',
    candidates,
  }
}

/**
 * Returns the alternatives of a winner: programs of the same search that are right on as many rows. None where no
 * agreement was asked for.
 */
export function alternativesOf(
  winner: JudgedProgram,
  programs: readonly JudgedProgram[],
  { keepsAlternatives }: Pick<ProgramSearch, 'keepsAlternatives'>,
): readonly Alternative[] {
  if (!keepsAlternatives) return []
  const equals = programs.filter(
    (one) =>
      one !== winner &&
      isUsable(one) &&
      one.seenRows === winner.seenRows &&
      one.trainRight === winner.trainRight &&
      one.negativesViolated === winner.negativesViolated,
  )
  return weighAlternatives([winner, ...equals])
}

/** The answers of a search for rows that it did not see. */
export interface LeftOutAnswers {
  readonly answers: readonly FoldAnswer[]
  readonly searchSteps: number
}

/**
 * Searches on rows, and answers others with the best program found, as a compile of these rows would. A search that the
 * clock ended, or whose steps ran out before it found any program, is not finished: `out_of_budget`.
 */
export function answerLeftOut(rows: readonly Row[], leftOut: readonly Row[], search: ProgramSearch): LeftOutAnswers {
  const none = (error: FoldAnswer['error'], searchSteps: number): LeftOutAnswers => ({
    answers: leftOut.map(({ id }) => ({ id, output: null, abstained: false, confidence: 0, error })),
    searchSteps,
  })
  if (search.cpuMs() >= search.endsAtMs) return none('out_of_budget', 0)
  const { programs, searchSteps, exhausted, isCutShort } = searchPrograms(rows, search)
  if (isCutShort || (exhausted && programs.length === 0)) return none('out_of_budget', searchSteps)
  const best = programs.find(isUsable)
  if (best === undefined) return none('no_candidate', searchSteps)
  const runner = agreementRunner(best.runner, alternativesOf(best, programs, search))
  const answers = leftOut.map(({ id, input }): FoldAnswer => ({ id, ...answerOf(runner, input) }))
  return { answers, searchSteps }
}
