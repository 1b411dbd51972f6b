import { hash } from 'node:crypto'
import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { canonicalJson, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Runner } from '../../runtime/recipe.ts'
import { isSameOutput } from '../scoring/compare-outputs.ts'
import { answerOf } from '../scoring/evaluate.ts'
import type { Comparator } from '../scoring/score-types.ts'
import { synthesize } from '../../synthesis/synthesize.ts'
import type { Row } from '../../task.ts'
import { openCandidate } from '../candidate.ts'
import { isMemorising } from './is-memorising.ts'

/** Number of rows below which none is held back: candidates then compete by the synthesizer's own rank. */
const HOLD_BACK_FROM = 12
const HELD_BACK_SHARE = 4
const HELD_BACK_ROWS = 500
/** Rows that the first search sees; rows that its programs get wrong are added round by round. */
const FIRST_ROWS = 32
const ADDED_ROWS = 12
/** Share of the work budget of each round. */
const ROUND_SHARES = [0.5, 0.25, 0.15] as const
const REFIT_SHARE = 0.1
/** Rows that candidates are judged on at most. */
const JUDGED_ROWS = 2000

/** Runs of the synthesizer that a search over so many rows takes at most. */
export function countSearches(rows: number): number {
  return rows < HOLD_BACK_FROM ? 1 : ROUND_SHARES.length + 1
}

/** Budgets and constraints of a search. */
export interface ProgramSearch {
  readonly task: string
  readonly k: number
  readonly comparator: Comparator
  readonly negatives: readonly NegativeExample[]
  readonly workBudget: number
  /**
   * Processor milliseconds used so far, and the limit at which the search ends: a safety net beside the work budget.
   */
  readonly cpuMs: () => number
  readonly endsAtMs: number
  /** True when the task sorts texts into a few labels: programs that memorised rows are then refused. */
  readonly sortsTexts: boolean
  readonly isCancelled: () => boolean
}

/** A program with how it did on the rows it was found on and on those held back from it. */
export interface JudgedProgram {
  readonly recipe: JsonObject
  readonly runner: Runner
  readonly cost: number
  readonly searchSteps: number
  readonly fittedRows: number
  readonly fittedRight: number
  /** Null when its search saw the rows that others were held back from. */
  readonly heldBack: { readonly rows: number; readonly right: number } | null
  readonly trainRight: number
  readonly trainRows: number
  readonly negativesViolated: number
  /** True when it lists its rows, or has no answer for texts that it was not found on; such a program is refused. */
  readonly isMemorising: boolean
}

/** Share of its own rows that a program must get right to count as a candidate. */
const LEAST_FIT = 0.5

/** Returns true when a program may be a candidate: it gets half of its rows right and does not list them. */
export function isUsable({ trainRight, trainRows, isMemorising }: JudgedProgram): boolean {
  return trainRight >= trainRows * LEAST_FIT && !isMemorising
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
}

function toJsonObject(program: object): JsonObject {
  // A program is plain JSON by definition of the language; the copy drops members that are undefined.
  const plain: JsonObject = JSON.parse(JSON.stringify(program))
  return plain
}

/** Rows in an order that depends on their inputs alone. */
export function shuffleByHash(rows: readonly Row[]): readonly Row[] {
  return rows
    .map((row) => ({ row, key: hash('sha256', canonicalJson(row.input), 'hex') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
}

/** Splits train rows, by their inputs alone, into rows to learn from and a quarter to judge the result. */
export function holdRowsBack(rows: readonly Row[]): {
  readonly fit: readonly Row[]
  readonly heldBack: readonly Row[]
} {
  const ordered = shuffleByHash(rows)
  const held = Math.min(HELD_BACK_ROWS, Math.floor(ordered.length / HELD_BACK_SHARE))
  return { fit: ordered.slice(held, held + JUDGED_ROWS), heldBack: ordered.slice(0, held) }
}

/** The first rows of a search: outputs that occur again and again take turns, so that each is among them. */
export function pickFirst(rows: readonly Row[], count: number): readonly Row[] {
  if (rows.length <= count) return rows
  const turns = new Map<string, number>()
  return rows
    .map((row, place) => {
      const key = canonicalJson(row.output)
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      return { row, turn, place }
    })
    .sort((a, b) => a.turn - b.turn || a.place - b.place)
    .slice(0, count)
    .map(({ row }) => row)
}

function isRight(runner: Runner, row: Row, comparator: Comparator): boolean {
  const answer = answerOf(runner, row.input)
  return answer.error === null && !answer.abstained && isSameOutput(comparator, answer.output, row.output)
}

function answersAll(runner: Runner, rows: readonly Row[]): boolean {
  return rows.every(({ input }) => {
    const answer = answerOf(runner, input)
    return answer.error === null && !answer.abstained
  })
}

function countViolations(runner: Runner, negatives: readonly NegativeExample[], comparator: Comparator): number {
  return negatives.filter(({ input, notOutput }) => {
    const answer = answerOf(runner, input)
    return answer.error === null && isSameOutput(comparator, answer.output, notOutput)
  }).length
}

/** Clock and cancellation of a search. */
class Limits {
  readonly #search: ProgramSearch
  isCutShort = false

  constructor(search: ProgramSearch) {
    this.#search = search
  }

  /** False once the time is up or the caller has cancelled. */
  mayGoOn(): boolean {
    const { cpuMs, endsAtMs, isCancelled } = this.#search
    if (cpuMs() >= endsAtMs) this.isCutShort = true
    return !this.isCutShort && !isCancelled()
  }
}

/** One run of the synthesizer, its programs judged. */
interface Round {
  readonly programs: readonly JudgedProgram[]
  readonly steps: number
  readonly exhausted: boolean
  readonly dropped: readonly string[]
}

interface RoundInput {
  readonly seen: readonly Row[]
  readonly fit: readonly Row[]
  readonly heldBack: readonly Row[]
  readonly share: number
  readonly honest: boolean
}

/** Opens a program that was found. One beyond the limits of the language is refused, with the reason. */
function openFound(recipe: JsonObject): { readonly runner: Runner } | { readonly refused: string } {
  try {
    return { runner: openCandidate({ kind: 'program', recipe }) }
  } catch (error) {
    if (!KERNEL_ERRORS.validation_failed.matches(error)) throw error
    return { refused: `program: ${error.message}` }
  }
}

function runRound(search: ProgramSearch, limits: Limits, { seen, fit, heldBack, share, honest }: RoundInput): Round {
  const result = synthesize(seen, {
    k: search.k,
    workBudget: Math.max(1, Math.floor(search.workBudget * share)),
    isCancelled: () => !limits.mayGoOn(),
    task: search.task,
  })
  const trainRows = [...fit, ...heldBack]
  const count = (runner: Runner, rows: readonly Row[]): number =>
    rows.filter((row) => isRight(runner, row, search.comparator)).length
  const dropped = [...result.dropped]
  const programs = result.candidates.flatMap(({ program, cost }): JudgedProgram[] => {
    const recipe = toJsonObject(program)
    const opened = openFound(recipe)
    if ('refused' in opened) {
      dropped.push(opened.refused)
      return []
    }
    const { runner } = opened
    const fitRight = count(runner, fit)
    const heldRight = count(runner, heldBack)
    return [
      {
        recipe,
        runner,
        cost,
        searchSteps: result.workUsed,
        fittedRows: honest ? fit.length : fit.length + heldBack.length,
        fittedRight: honest ? fitRight : fitRight + heldRight,
        heldBack: honest && heldBack.length > 0 ? { rows: heldBack.length, right: heldRight } : null,
        trainRight: fitRight + heldRight,
        trainRows: fit.length + heldBack.length,
        negativesViolated: countViolations(runner, search.negatives, search.comparator),
        isMemorising: search.sortsTexts && (isMemorising(program, trainRows) || !answersAll(runner, heldBack)),
      },
    ]
  })
  return { programs, steps: result.workUsed, exhausted: result.exhausted, dropped }
}

/**
 * Orders programs: memorising ones last; fewest violated negatives first, then most rows right, then programs with
 * held-back evidence, then the simplest.
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

function wrongRows(programs: readonly JudgedProgram[], rows: readonly Row[], comparator: Comparator): readonly Row[] {
  const best = programs.toSorted(compare)[0]
  if (best === undefined) return []
  return rows.filter((row) => !isRight(best.runner, row, comparator)).slice(0, ADDED_ROWS)
}

/**
 * Searches programs for train rows. With few rows, one search over all of them. With more, a quarter is held back; the
 * search starts from some rows and adds rows that its best program gets wrong (counter-examples), and the candidates
 * compete on all train rows, those proven on held-back rows first. If the winner fails on held-back rows, a last search
 * includes these too.
 */
export function searchPrograms(rows: readonly Row[], search: ProgramSearch): ProgramSearchResult {
  if (rows.length === 0) {
    return { programs: [], searchSteps: 0, exhausted: false, isCutShort: false, dropped: [], competition: 'rank' }
  }
  const limits = new Limits(search)
  if (rows.length < HOLD_BACK_FROM) {
    const { programs, steps, exhausted, dropped } = runRound(search, limits, {
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
    }
  }
  const { fit, heldBack } = holdRowsBack(rows)
  let seen = pickFirst(fit, FIRST_ROWS)
  let programs: readonly JudgedProgram[] = []
  let searchSteps = 0
  let exhausted = false
  const dropped: string[] = []
  const take = (round: Round): void => {
    programs = distinct([...programs, ...round.programs])
    searchSteps += round.steps
    exhausted ||= round.exhausted
    dropped.push(...round.dropped)
  }
  for (const share of ROUND_SHARES) {
    take(runRound(search, limits, { seen, fit, heldBack, share, honest: true }))
    const wrong = wrongRows(programs, fit, search.comparator)
    const known = new Set(seen.map(({ id }) => id))
    const added = wrong.filter(({ id }) => !known.has(id))
    if (added.length === 0 || !limits.mayGoOn()) break
    seen = [...seen, ...added]
  }
  const missed = wrongRows(programs, heldBack, search.comparator)
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
  }
}

/** The answer of a search over all but one row for the row left out. */
export interface LeftOutAnswer {
  readonly output: Json
  /** `out_of_budget`: the search was not finished, so the answer is unknown. */
  readonly error: 'recipe_failed' | 'out_of_budget' | 'no_candidate' | null
  readonly searchSteps: number
}

/**
 * Searches on all rows but one, and answers that one with the best program found, as a compile of these rows would. A
 * search that the clock ended, or whose steps ran out before it found any program, is not finished: `out_of_budget`.
 */
export function answerLeftOut(rows: readonly Row[], leftOut: Row, search: ProgramSearch): LeftOutAnswer {
  if (search.cpuMs() >= search.endsAtMs) return { output: null, error: 'out_of_budget', searchSteps: 0 }
  const { programs, searchSteps, exhausted, isCutShort } = searchPrograms(rows, search)
  if (isCutShort || (exhausted && programs.length === 0)) return { output: null, error: 'out_of_budget', searchSteps }
  const best = programs.find(isUsable)
  if (best === undefined) return { output: null, error: 'no_candidate', searchSteps }
  const { output, error } = answerOf(best.runner, leftOut.input)
  return { output, error: error === null ? null : 'recipe_failed', searchSteps }
}
