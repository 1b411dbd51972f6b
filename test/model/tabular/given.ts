import type { Json } from '../../../core/kernel/json/json.ts'
import { createRandom } from '../../../core/model/random.ts'
import { fitTabular, type FittedTabular } from '../../../core/model/tabular/fit/fit-tabular.ts'
import { openTabular, type TabularModel } from '../../../core/model/tabular/recipe/open-tabular.ts'

/** A row of a table. */
export interface GivenRow {
  readonly input: Json
  readonly output: Json
}

/** Part of the usual bounds of work that is enough for tables of this size. */
const SHARE = 0.2

/** Fits a table; throws when it has no fit. */
export function fit(rows: readonly GivenRow[], target: 'label' | 'number' | 'labels', seed = 0): FittedTabular {
  const fitted = fitTabular(rows, { target, seed, share: SHARE, checkpoint: () => undefined })
  if ('reason' in fitted) throw new Error(fitted.reason)
  return fitted
}

/** Fits a table and opens the model. */
export function learn(rows: readonly GivenRow[], target: 'label' | 'number' | 'labels'): TabularModel {
  const { recipe, weights } = fit(rows, target)
  return openTabular(recipe, weights)
}

/** Loans with members of every kind; who may have one follows from income, debts and the kind of work. */
export function loanRows(count: number, seed = 1): GivenRow[] {
  const random = createRandom(seed, 'loans')
  return Array.from({ length: count }, () => {
    const income = Math.round(1000 + 4000 * random.float())
    const debts = random.float() < 0.15 ? null : Math.round(3000 * random.float())
    const work = ['employed', 'own firm', 'none'][random.below(3)] ?? 'none'
    const day = 1 + random.below(28)
    const input = {
      person: { income, work, is_member: random.float() < 0.5 },
      debts,
      since: `20${10 + random.below(10)}-0${1 + random.below(9)}-${String(day).padStart(2, '0')}`,
      note: `${['please call', 'was here before', 'asks for more'][random.below(3)]} number ${random.below(1000)}`,
      currency: 'EUR',
    }
    const rest = income - (debts ?? 500) * 1.5
    return { input, output: work === 'none' ? 'refuse' : rest > 1500 ? 'grant' : rest > 0 ? 'ask' : 'refuse' }
  })
}

/** Numbers with an interaction and a step. */
export function numberRows(count: number): GivenRow[] {
  const random = createRandom(2, 'numbers')
  return Array.from({ length: count }, () => {
    const [a, b, c] = [random.float(), random.float(), random.float()]
    return { input: [a, b, c], output: 10 * a * b + (c > 0.5 ? 4 : 0) + 3 * a + 0.2 * random.normal() }
  })
}

/** Lists of labels, written in the order `urgent`, `large`, `foreign`. */
export function tagRows(count: number): GivenRow[] {
  const random = createRandom(3, 'tags')
  return Array.from({ length: count }, () => {
    const [hours, size] = [random.below(100), random.below(50)]
    const country = ['DE', 'FR', 'US'][random.below(3)] ?? 'DE'
    const tags = [hours < 24 ? ['urgent'] : [], size > 30 ? ['large'] : [], country === 'DE' ? [] : ['foreign']].flat()
    return { input: { hours, size, country }, output: tags }
  })
}
