import { KERNEL_ERRORS } from '../../../kernel/errors.ts'
import { canonicalJson, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { MOST_CANDIDATES } from '../../synthesis/questions/posterior.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Runner } from '../../runtime/recipe.ts'
import type { Program } from '../../language/ast.ts'
import { closedBranches } from '../../synthesis/conditions/closed-branches.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import { answerOf } from '../scoring/evaluate.ts'
import { withoutTolerances } from '../../rows/equality/tolerance.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { ProgramCandidate } from '../../synthesis/result.ts'
import { synthesize } from '../../synthesis/synthesize.ts'
import type { Row } from '../../rows/task.ts'
import { openCandidate } from '../candidate.ts'
import { choosesConstants, haveTexts, isMemorising } from './is-memorising.ts'
import { readsInput } from './program-parts.ts'

/** Bounds and rules of a search for programs. */
export interface ProgramSearch {
  readonly task: string
  readonly k: number
  /** True where answers get the agreement with alternatives as their confidence. */
  readonly keepsAlternatives: boolean
  readonly equality: Equality
  readonly negatives: readonly NegativeExample[]
  /** Inputs without an output that take part in the search. */
  readonly unlabelled: readonly Json[]
  readonly workBudget: number
  /** Processor milliseconds spent so far, and those at which the search ends: the safety net beside the work budget. */
  readonly cpuMs: () => number
  readonly endsAtMs: number
  readonly isCancelled: () => boolean
}

/** A program with its results on the rows it was found on and on those held back from it. */
export interface JudgedProgram {
  readonly recipe: JsonObject
  readonly runner: Runner
  readonly cost: number
  readonly searchSteps: number
  /** Rows that its search saw: the number tells the searches of one compile apart. */
  readonly seenRows: number
  readonly fittedRows: number
  readonly fittedRight: number
  /** Null when its search saw the rows that others were held back from. */
  readonly heldBack: { readonly rows: number; readonly right: number } | null
  readonly trainRight: number
  readonly trainRows: number
  readonly negativesViolated: number
  /** True when it lists its rows, has no answer for a held-back row, or answers without reading the input; it is refused. */
  readonly isMemorising: boolean
}

/** Share of its own rows that a program must get right to count as a candidate. */
const LEAST_FIT = 0.5

/** Returns true for a program that may be a candidate: it gets half of its rows right and does not list them. */
export function isUsable({ trainRight, trainRows, isMemorising }: JudgedProgram): boolean {
  return trainRight >= trainRows * LEAST_FIT && !isMemorising
}

function toJsonObject(program: object): JsonObject {
  // A program is plain JSON by definition of the language; the copy drops members that are undefined.
  const plain: JsonObject = JSON.parse(JSON.stringify(program))
  return plain
}

/** True when the program answers the row as it is labelled. */
export function isRight(runner: Runner, row: Row, equality: Equality): boolean {
  const answer = answerOf(runner, row.input)
  return answer.error === null && !answer.abstained && isSameOutput(equality, answer.output, row.output)
}

function answersAll(runner: Runner, rows: readonly Row[]): boolean {
  return rows.every(({ input }) => {
    const answer = answerOf(runner, input)
    return answer.error === null && !answer.abstained
  })
}

function countViolations(runner: Runner, negatives: readonly NegativeExample[], equality: Equality): number {
  return negatives.filter(({ input, notOutput }) => {
    const answer = answerOf(runner, input)
    return answer.error === null && isSameOutput(equality, answer.output, notOutput)
  }).length
}

/** Ends a search when its time is up or its caller cancels it. */
export class SearchLimits {
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
export interface Round {
  readonly programs: readonly JudgedProgram[]
  readonly steps: number
  readonly exhausted: boolean
  readonly dropped: readonly string[]
  /** Every program that was found, cheapest first; more than are judged where unlabelled inputs took part. */
  readonly candidates: readonly ProgramCandidate[]
}

/** Rows that one run sees, and rows that judge its programs. */
interface RoundInput {
  readonly seen: readonly Row[]
  readonly fit: readonly Row[]
  readonly heldBack: readonly Row[]
  readonly share: number
  readonly honest: boolean
}

/** Returns true when all rows have one output: then a program may answer it whatever the input. */
function hasOneOutput(rows: readonly Row[]): boolean {
  return new Set(rows.map(({ output }) => canonicalJson(output))).size < 2
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

/**
 * Returns the program with a condition for its last branch too, where the rows show one and it answers as many of them; else
 * the program. A truth value has no further categories.
 */
function closedProgram(program: Program, rows: readonly Row[], equality: Equality): Program {
  if (rows.every(({ output }) => typeof output === 'boolean')) return program
  const closed = closedBranches(
    program.body,
    rows.map(({ input }) => input),
  )
  if (closed === undefined) return program
  const candidate = { ...program, body: closed }
  const [before, after] = [program, candidate].map((one) => {
    const opened = openFound(toJsonObject(one))
    return 'refused' in opened ? null : rows.filter((row) => isRight(opened.runner, row, equality)).length
  })
  return before === after ? candidate : program
}

/** Runs the synthesizer once and judges what it found. */
export function runRound(
  search: ProgramSearch,
  limits: SearchLimits,
  { seen, fit, heldBack, share, honest }: RoundInput,
): Round {
  const result = synthesize(seen, {
    k: search.unlabelled.length === 0 ? search.k : Math.max(search.k, MOST_CANDIDATES),
    workBudget: Math.max(1, Math.floor(search.workBudget * share)),
    isCancelled: () => !limits.mayGoOn(),
    equality: withoutTolerances(search.equality),
    task: search.task,
    unlabelled: search.unlabelled,
  })
  const trainRows = [...fit, ...heldBack]
  const isConstantEnough = hasOneOutput(trainRows)
  const areTexts = haveTexts(trainRows)
  const count = (runner: Runner, rows: readonly Row[]): number =>
    rows.filter((row) => isRight(runner, row, search.equality)).length
  const dropped = [...result.dropped]
  // Questions and the share of undecided inputs are those of the programs that may ship.
  const candidates = result.candidates.map((candidate) => ({
    ...candidate,
    program: closedProgram(candidate.program, trainRows, search.equality),
  }))
  const programs = candidates.slice(0, search.k).flatMap(({ program, cost }): JudgedProgram[] => {
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
        seenRows: seen.length,
        fittedRows: honest ? fit.length : fit.length + heldBack.length,
        fittedRight: honest ? fitRight : fitRight + heldRight,
        heldBack: honest && heldBack.length > 0 ? { rows: heldBack.length, right: heldRight } : null,
        trainRight: fitRight + heldRight,
        trainRows: fit.length + heldBack.length,
        negativesViolated: countViolations(runner, search.negatives, search.equality),
        isMemorising:
          isMemorising(program, trainRows) ||
          (!isConstantEnough && !readsInput(program)) ||
          (areTexts && choosesConstants(program) && !answersAll(runner, heldBack)),
      },
    ]
  })
  return { programs, steps: result.workUsed, exhausted: result.exhausted, dropped, candidates }
}
