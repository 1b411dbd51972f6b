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

/** Products of two numbers from 0 to 10, with noise. */
export function productRows(count: number): GivenRow[] {
  const random = createRandom(4, 'products')
  return Array.from({ length: count }, () => {
    const [a, b] = [10 * random.float(), 10 * random.float()]
    return { input: { a, b }, output: a * b + random.normal() }
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

/** Texts that praise and blame, with a grade of 1 to 5 for each. */
export function gradeRows(count: number): GivenRow[] {
  const random = createRandom(4, 'grades')
  const things = ['room', 'food', 'staff', 'price', 'view', 'bath']
  return Array.from({ length: count }, () => {
    const parts = Array.from({ length: 2 + random.below(3) }, () => {
      const isGood = random.float() < 0.5
      const word = (isGood ? ['fine', 'clean', 'great', 'quick'] : ['poor', 'dirty', 'slow', 'loud'])[random.below(4)]
      return { text: `the ${things[random.below(things.length)]} was ${word}`, points: isGood ? 0.8 : -0.8 }
    })
    const points = parts.reduce((sum, part) => sum + part.points, 3)
    return {
      input: parts.map(({ text }) => text).join(', '),
      output: Math.max(1, Math.min(5, Math.round(points))),
    }
  })
}

/** Complaints in words, with the topics of each: every topic has several wordings, so most words are in few texts. */
export function topicRows(count: number): GivenRow[] {
  const random = createRandom(5, 'topics')
  const wordings: readonly (readonly [string, readonly string[]])[] = [
    ['battery', ['battery dies fast', 'charging takes hours', 'power drains overnight', 'it never stays on for a day']],
    ['delivery', ['came two weeks late', 'the box was crushed', 'the courier lost it', 'left at the wrong door']],
    ['price', ['far too expensive', 'cost went up again', 'not worth the money', 'cheaper elsewhere in town']],
    ['screen', ['glass is cracked', 'display flickers badly', 'colours look wrong', 'dark lines on the left']],
    ['support', ['mails stay unanswered', 'the hotline was rude', 'kept waiting for an hour', 'no help from anyone']],
  ]
  return Array.from({ length: count }, () => {
    const chosen = wordings.filter(() => random.float() < 0.4)
    const topics = chosen.length === 0 ? wordings.slice(0, 1) : chosen
    const parts = topics.map(([, texts]) => texts[random.below(texts.length)] ?? '')
    return { input: parts.join(', '), output: topics.map(([name]) => name) }
  })
}

/** Messages in Japanese, which has no spaces, with the topics of each. */
export function messageRows(count: number): GivenRow[] {
  const random = createRandom(6, 'messages')
  const wordings: readonly (readonly [string, readonly string[]])[] = [
    ['解約', ['契約を解約したい', '今月末で退会します', '定期購入をやめたい', '会員を辞めます']],
    ['請求', ['請求書の金額が違います', '領収書をください', '二重に請求されました', '料金が高すぎます']],
    ['配送', ['荷物が届きません', '明日配達できますか', '商品が壊れて届きました', '届け先を変えたい']],
  ]
  return Array.from({ length: count }, () => {
    const chosen = wordings.filter(() => random.float() < 0.5)
    const topics = chosen.length === 0 ? wordings.slice(0, 1) : chosen
    const parts = topics.map(([, texts]) => texts[random.below(texts.length)] ?? '')
    return { input: `${parts.join('。')}。受付${random.below(900)}`, output: topics.map(([name]) => name) }
  })
}
