import type { Json } from '../../../kernel/json/json.ts'
import { isSameValue, type EqualityNode } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import { enumeratePredicates } from '../conditions/predicates.ts'
import type { Predicate } from '../conditions/predicate.ts'
import { dateNumbers } from '../dates/date-arithmetic.ts'
import { serialDates } from '../dates/serial-dates.ts'
import { shiftedDates } from '../dates/shifted-dates.ts'
import { buildDateSpace, type DateNode } from '../dates/date-space.ts'
import { dateWitness } from '../dates/date-witness.ts'
import { nameWitness } from '../dates/name-witness.ts'
import { writtenDates } from '../dates/written-dates.ts'
import { buildNumberSpace, isGlued, parsedNumbers } from '../numbers/number-space.ts'
import { namedNumberTexts, namedNumberWitness } from '../numbers/named-numbers.ts'
import { numberWitness } from '../numbers/number-witness.ts'
import type { Budget } from '../search/budget.ts'
import { withCost, type Node, type NumberNode } from '../search/node.ts'
import { shapesOf } from '../search/answer-shapes.ts'
import { readScope, shownScope, type Scope, withinBudget } from '../search/scope.ts'
import { answersCost, describeUnlabelled, onShown } from '../search/unlabelled.ts'
import { countsBeyond, countsBeyondNumbers } from '../lists/counts-beyond.ts'
import { checkNumbers } from '../lists/check-digits.ts'
import { baseLists, type ListNode } from '../lists/list-space.ts'
import { listingParts } from '../lists/listing-parts.ts'
import { writtenNumbers } from '../numbers/number-space.ts'
import { countedForms } from '../text/counted-forms.ts'
import type { EdgeSources } from '../text/edges.ts'
import { paddedPieces } from '../text/padding.ts'
import { mappedWords } from '../text/rewriting/mapped-words.ts'
import { partsToRewrite } from '../text/rewriting/parts-to-rewrite.ts'
import { rewrittenTexts } from '../text/rewriting/rewrites.ts'
import { buildTextSpace, type TextSpace } from '../text/text-space.ts'
import { Cost, costBound } from '../ranking/cost.ts'

function isSpelling({ about }: NumberNode): boolean {
  return about === 'text' || about === 'digits'
}

/** Numbers for conditions: once a condition needs a number, its position in the text matters less. */
function guardNumbers(numbers: readonly NumberNode[]): NumberNode[] {
  return numbers
    .filter((node) => node.cost.total < costBound('condition.number') && !isSpelling(node) && !isGlued(node))
    .slice(0, 16)
    .map((node) => ({
      ...withCost(node, node.cost.share('condition.number').with('condition.ofNumber')),
      ...(node.about && { about: node.about }),
    }))
}

/** The problem to solve: a program over `root` that turns each input into its target. */
export interface Problem {
  readonly root: Expr
  /** Those of the targets first, then inputs without one. */
  readonly inputs: readonly Json[]
  readonly targets: readonly Json[]
  /** Equality at the path of the targets. */
  readonly equality: EqualityNode
  /** Nesting depth of this problem: lists and objects create problems for their items and members. */
  readonly depth: number
}

/** The inputs of a problem without a target. */
export function unlabelledOf({ inputs, targets }: Problem): readonly Json[] {
  return inputs.slice(targets.length)
}

/** A program for a problem's rows. */
export interface Solution {
  readonly expr: Expr
  readonly cost: Cost
  /** The cost without that of the rows that it leaves wrong, where there are any. */
  readonly ownCost?: Cost
  /** Of its answers to the unlabelled inputs; above `cost`. */
  readonly unlabelled: Cost
}

/** Solves a problem inside another one. */
export type Solve = (problem: Problem, k: number, budget: Budget) => Solution[]

const MAX_REWRITTEN_ROOTS = 4

/** Makes a value once, when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** The texts, numbers, dates and conditions of a problem's rows; each is made when a solver first asks for it. */
export class Workspace {
  readonly problem: Problem
  readonly scope: Scope
  readonly budget: Budget
  readonly solve: Solve
  /** Pieces of text, with the text outputs that they may be parts of. */
  readonly texts: () => TextSpace
  readonly numbers: () => readonly NumberNode[]
  readonly dates: () => readonly DateNode[]
  /** Everything that a text output can be made of. */
  readonly textEdges: () => EdgeSources
  readonly predicates: () => readonly Predicate[]
  readonly lists: () => readonly ListNode[]
  /** Shapes of the targets. */
  readonly #shapes = once(() => shapesOf(this.problem.targets))
  readonly #described = once(() => {
    const { inputs, targets } = this.problem
    return describeUnlabelled(inputs.slice(0, targets.length), targets, unlabelledOf(this.problem))
  })

  constructor(problem: Problem, budget: Budget, solve: Solve) {
    this.problem = problem
    this.solve = solve
    this.budget = budget
    this.scope = withinBudget(readScope(problem.inputs, problem.root, problem.targets.length), budget)
    const outputs = problem.targets.map((target) => (typeof target === 'string' ? target : ''))
    this.texts = once(() => buildTextSpace(this.scope, outputs, [], budget))
    this.dates = once(() => {
      const { texts, numbers, shown } = this.scope
      const dates = buildDateSpace([...writtenDates(texts, shown), ...this.texts().pieces], numbers, shown, budget)
      const amounts = this.scope.numbers.length > 0 ? this.scope.numbers : parsedNumbers(this.texts().pieces)
      if (!problem.targets.every((target) => typeof target === 'string')) return dates
      const counted = serialDates(amounts, outputs)
      return dates.length > 0 ? [...dates, ...counted, ...shiftedDates(dates, amounts, outputs, texts)] : counted
    })
    this.lists = once(() => {
      const { sources, sliced, pieces } = this.texts()
      const cut = sliced.map(({ source }) => source)
      const parts = listingParts(pieces, this.scope.texts, problem.targets)
      return baseLists(this.scope, { sources, parts, cut }, problem.targets)
    })
    this.numbers = once(() =>
      buildNumberSpace(
        this.scope,
        this.texts().pieces,
        [
          ...dateNumbers(this.dates().slice(0, 6)),
          ...writtenNumbers(
            this.lists().filter((list) => list.cost.total < costBound('list.numbers')),
            problem.targets,
          ),
          ...countsBeyond(this.lists(), problem.targets),
          ...countsBeyondNumbers(this.scope.lists, this.scope.numbers),
          ...checkNumbers(this.texts().pieces, problem.targets),
        ],
        problem.targets,
      ),
    )
    this.textEdges = once(() => {
      const space = this.texts()
      const isUseful = (values: readonly (string | undefined)[]) =>
        values.some((value, row) => value !== undefined && value !== '' && (outputs[row] ?? '').includes(value))
      const whole = this.scope.texts.slice(0, MAX_REWRITTEN_ROOTS)
      const rewritten = [...whole, ...partsToRewrite(space, whole)].flatMap((root) =>
        rewrittenTexts(root, outputs, budget),
      )
      const named = namedNumberTexts(this.numbers()).filter((node) => isUseful(node.values))
      const extra = [
        ...rewritten.filter((node) => isUseful(node.values)),
        ...[...named, ...paddedPieces(named, [], outputs)].filter((node) => isUseful(node.values)),
      ]
      return {
        outputs,
        rows: this.scope,
        nodes: [...space.nodes, ...extra],
        sliced: space.sliced,
        witnesses: [
          dateWitness(outputs, this.dates()),
          nameWitness(outputs, this.dates()),
          numberWitness(outputs, this.numbers(), this.scope),
          namedNumberWitness(outputs, this.numbers(), space.pieces),
          countedForms(outputs, this.numbers()),
          mappedWords(outputs, space.pieces),
        ],
      }
    })
    this.predicates = once(() =>
      enumeratePredicates(
        shownScope(this.scope),
        {
          texts: [],
          numbers: guardNumbers(this.numbers()).map((node) => onShown(node, this.scope.shown)),
          dates: this.dates().map((node) => onShown(node, this.scope.shown)),
        },
        budget,
      ),
    )
  }

  /** Orders nodes by their costs and those of the unlabelled inputs without a value, lowest first. */
  ranked<T extends Node<Json>>(nodes: readonly T[]): T[] {
    return nodes
      .map((node) => ({ node, total: node.cost.total + this.unlabelledCost(node.values).total }))
      .toSorted((a, b) => a.total - b.total)
      .map(({ node }) => node)
  }

  /** Returns the cost of a vector's values on the unlabelled inputs; none for a vector that was made without them. */
  unlabelledCost(values: readonly (Json | undefined)[]): Cost {
    const { shown, count } = this.scope
    return count === shown || values.length < count
      ? Cost.NONE
      : answersCost(values.slice(shown), this.#shapes(), this.#described())
  }

  /** Returns true when a vector of values is the target on all of the rows. */
  isTarget(values: readonly (Json | undefined)[], rows: readonly number[]): boolean {
    return rows.every((row) => {
      const value = values[row]
      const target = this.problem.targets[row]
      return value !== undefined && target !== undefined && isSameValue(this.problem.equality, value, target)
    })
  }
}
