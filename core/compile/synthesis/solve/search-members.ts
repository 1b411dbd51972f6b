import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { equalityBelow } from '../../rows/equality/same-output.ts'
import type { Expr } from '../../language/ast.ts'
import type { Budget } from '../search/budget.ts'
import { Collector, type Collected } from './collector.ts'
import { costOf } from '../ranking/cost.ts'

/** Searches programs for rows and keeps them in a collector. */
export type SearchRows = (
  inputs: readonly Json[],
  outputs: readonly Json[],
  collector: Collector,
  k: number,
  budget: Budget,
) => void

const MAX_MEMBERS = 40
const PER_MEMBER = 3
/** Part of an equal share that each member has first. */
const FIRST_SHARE = 1 / 4
/** Part of the budget that no member has, so that its end does not lose the programs of the others. */
const RESERVE = 1 / 50

/** The names of the members when every output is an object with just these; undefined otherwise. */
function sharedNames(outputs: readonly JsonObject[]): readonly string[] | undefined {
  const [first, ...others] = outputs.map((output) => Object.keys(output))
  if (first === undefined || first.length === 0 || first.length > MAX_MEMBERS) return undefined
  const names = new Set(first)
  const isShared = others.every((keys) => keys.length === names.size && keys.every((key) => names.has(key)))
  return isShared ? first : undefined
}

function objectOf(members: readonly { readonly name: string; readonly found: Collected }[]): Expr {
  return { op: 'object', members: members.map(({ name, found }) => ({ name, value: found.expr })) }
}

/** A member of the outputs, and the programs for it. */
interface Member {
  readonly name: string
  readonly wanted: readonly Json[]
  readonly found: Collector
}

/**
 * Searches each member with a small, equal share of the budget. What they leave goes in equal shares to those that have no
 * program for all rows yet, then to those whose search ended before it was done. A search begins anew, so none has a share that
 * is not larger than its last. Answers whether all have a program.
 */
function searchEach(
  inputs: readonly Json[],
  members: readonly Member[],
  k: number,
  budget: Budget,
  searchRows: SearchRows,
): boolean {
  const reserve = Math.ceil(budget.remaining * RESERVE)
  const shareOf = (count: number): number => Math.floor((budget.remaining - reserve) / count)
  /** The members whose search the share ended. */
  const search = (some: readonly Member[], share: number): Member[] =>
    some.filter(
      ({ wanted, found }) =>
        !budget.within(
          share,
          (part) => {
            searchRows(inputs, wanted, found, k, part)
            return true
          },
          false,
        ),
    )
  const isRight = ({ found }: Member): boolean => found.best(1)[0]?.matches === inputs.length
  let share = Math.ceil(shareOf(members.length) * FIRST_SHARE)
  const ended = search(members, share)
  const hasNone = members.some((member) => !ended.includes(member) && member.found.best(1).length === 0)
  if (hasNone) return false
  const first = share
  const rightAtFirst = ended.filter(isRight)
  let late = ended.filter((member) => !isRight(member))
  while (late.length > 0 && shareOf(late.length) > share) {
    share = shareOf(late.length)
    late = search(late, share).filter((member) => !isRight(member))
  }
  if (rightAtFirst.length > 0 && shareOf(rightAtFirst.length) > first)
    search(rightAtFirst, shareOf(rightAtFirst.length))
  return members.every(({ found }) => found.best(1).length > 0)
}

/**
 * Searches the members of objects one by one, each over all rows and with its own share of the budget, and puts the
 * best ones together; then the next best of one member at a time. Answers whether such an object gets every row right.
 */
export function searchMembers(
  inputs: readonly Json[],
  outputs: readonly Json[],
  collector: Collector,
  k: number,
  budget: Budget,
  searchRows: SearchRows,
): boolean {
  const objects = outputs.filter(isJsonObject)
  const names = objects.length < outputs.length ? undefined : sharedNames(objects)
  if (names === undefined) return false
  const searched = names.map((name) => {
    const wanted = objects.map((output) => output[name] ?? null)
    const equality = equalityBelow(collector.equality, name)
    return { name, wanted, found: new Collector(inputs, wanted, equality, collector.unlabelled) }
  })
  if (!searchEach(inputs, searched, k, budget, searchRows)) return false
  const members = searched.map(({ name, found }) => ({ name, found: found.best(PER_MEMBER) }))
  const combine = (changed: number, choice: number): boolean => {
    const chosen = members.flatMap(({ name, found }, at) => {
      const one = found[at === changed ? choice : 0]
      return one === undefined ? [] : [{ name, found: one }]
    })
    if (chosen.length < members.length) return false
    const cost = chosen.reduce((sum, { found }) => sum.plus(found.ownCost), costOf('object'))
    return collector.add(objectOf(chosen), cost).matches === inputs.length
  }
  const isRight = combine(0, 0)
  for (let choice = 1; choice < PER_MEMBER; choice++) members.forEach((_, at) => combine(at, choice))
  return isRight
}
