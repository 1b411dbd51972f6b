import type { Json } from '../../../kernel/json/json.ts'
import { isSameValue, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { compileCandidate } from '../search/candidate-program.ts'
import { answersCost, describeUnlabelled, type Unlabelled } from '../search/unlabelled.ts'
import { shapesOf, type AnswerShapes } from '../search/answer-shapes.ts'
import { hasLabels, missCost } from './miss-cost.ts'
import { byCost, Cost, costBound } from '../ranking/cost.ts'

/** A program with its results on all rows. */
export interface Collected {
  readonly expr: Expr
  /** Includes the costs of its wrong rows and of its answers to the unlabelled inputs. */
  readonly cost: Cost
  /** Without those. */
  readonly ownCost: Cost
  readonly matches: number
  /** Rows it gets wrong, the first ones. */
  readonly failures: readonly number[]
}

const LEAF_ROWS = 20

function leavesOf(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, member) => sum + leavesOf(member), 0)
}

const MAX_FAILURES = 400
const MAX_FINGERPRINT_ROWS = 60

/** Collects found programs, checked on every row; one per behaviour. */
export class Collector {
  readonly #inputs: readonly Json[]
  readonly #outputs: readonly Json[]
  readonly #areLabels: boolean
  /** Shapes of the outputs. */
  readonly #shapes: AnswerShapes
  /** The unlabelled inputs beside the rows. */
  readonly #described: readonly Unlabelled[]
  /** Inputs without an output that ride along. */
  readonly unlabelled: readonly Json[]
  /** Equality at the path of the outputs. */
  readonly equality: EqualityNode
  /** Reasons for which the language refused dropped candidates. */
  readonly dropped: string[] = []
  readonly #byExpr = new Map<string, Collected>()
  readonly #byBehaviour = new Map<string, Collected>()

  constructor(
    inputs: readonly Json[],
    outputs: readonly Json[],
    equality: EqualityNode,
    unlabelled: readonly Json[] = [],
  ) {
    this.unlabelled = unlabelled
    this.#shapes = shapesOf(unlabelled.length === 0 ? [] : outputs)
    this.#described = describeUnlabelled(inputs, outputs, unlabelled)
    this.equality = equality
    this.#inputs = inputs
    this.#outputs = outputs
    this.#areLabels = hasLabels(inputs, outputs)
  }

  /** Number of rows. */
  get size(): number {
    return this.#inputs.length
  }

  /** Runs a program on every row and keeps it. `cost` is the program's own, without its wrong rows. */
  add(expr: Expr, cost: Cost): Collected {
    const text = JSON.stringify(expr)
    const known = this.#byExpr.get(text)
    if (known !== undefined) return known
    const compiled = compileCandidate(expr)
    if ('refused' in compiled) {
      this.dropped.push(compiled.refused)
      const failures = this.#inputs.map((_, row) => row).slice(0, MAX_FAILURES)
      const refused: Collected = { expr, cost: Cost.INFINITE, ownCost: Cost.INFINITE, matches: 0, failures }
      this.#byExpr.set(text, refused)
      return refused
    }
    const failures: number[] = []
    let matches = 0
    let fingerprint = ''
    for (const [row, input] of this.#inputs.entries()) {
      const answer = compiled.attempt(input)
      const wanted = this.#outputs[row]
      if (answer !== undefined && wanted !== undefined && isSameValue(this.equality, answer, wanted)) matches++
      else if (failures.length < MAX_FAILURES) failures.push(row)
      if (row < MAX_FINGERPRINT_ROWS) fingerprint += `${JSON.stringify(answer)}\n`
    }
    const misses = this.#inputs.length - matches
    const answers = this.unlabelled.map((input) => compiled.attempt(input))
    const total = cost
      .plus(missCost(this.#inputs.length, this.#areLabels, misses))
      .plus(answersCost(answers, this.#shapes, this.#described))
    const collected: Collected = { expr, cost: total, ownCost: cost, matches, failures }
    this.#byExpr.set(text, collected)
    const key = `${matches}\n${fingerprint}`
    const alike = this.#byBehaviour.get(key)
    if (alike === undefined || alike.cost.total > total.total) this.#byBehaviour.set(key, collected)
    return collected
  }

  /** Returns the cost of a table of the rows: a program of that length has memorised them. */
  #tableCost(): number {
    const leaves = this.#outputs
      .slice(0, LEAF_ROWS)
      .reduce<number>((most, output) => Math.max(most, leavesOf(output)), 1)
    return Math.max(costBound('table'), costBound('table.row') * this.#outputs.length) * leaves
  }

  /** Returns the best programs: first those that behave differently on the rows, then the others. */
  best(k: number): Collected[] {
    const limit = this.#tableCost()
    const useful = [...this.#byExpr.values()]
      .filter(({ matches, cost }) => matches > 0 && cost.total <= limit)
      .toSorted(byCost)
    const distinct = new Set(this.#byBehaviour.values())
    const first = useful[0]
    if (first === undefined) return []
    const rest = useful.slice(1)
    const perfect = rest.filter(({ matches }) => matches === first.matches)
    // A program with more right rows but a lower rank has memorised those rows: it is not offered.
    const others = rest.filter((one) => one.matches < first.matches && distinct.has(one))
    return [first, ...perfect, ...others].slice(0, k)
  }
}
