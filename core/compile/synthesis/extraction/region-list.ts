import type { Expr } from '../../language/ast.ts'
import { type Landmarks, regionsBetween } from '../../language/primitives/text/regions.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import type { Budget } from '../search/budget.ts'
import { commonContexts, leftLandmarks, type Placed, rightLandmarks, spread } from './contexts.ts'
import { occurrencesOf, type Span } from './occurrences.ts'
import { learnRegion, type Region, regionExpr } from './region.ts'

/** A text with the list of its wanted parts, in order. */
export interface ListSample {
  readonly text: string
  readonly items: readonly string[]
}

/** A list expression over a text. */
export interface TextList {
  readonly build: (text: Expr) => Expr
  readonly cost: Cost
}

const MAX_NEEDLES = 24
const MAX_PLACES = 512
const MAX_TRIED = 120
const MAX_FOUND = 2
const UNITS_PER_STEP = 64

/** Some items of each text with all their places. */
export function placedItems(samples: readonly ListSample[], budget: Budget): Placed[] {
  return samples.flatMap(({ text, items }) => {
    const distinct = [...new Set(items)].filter((item) => item !== '')
    const needles = spread(distinct, MAX_NEEDLES)
    budget.spend(Math.ceil(text.length / UNITS_PER_STEP))
    const places = occurrencesOf(text, needles, MAX_PLACES)
    return needles.map((needle) => ({
      text,
      spans: (places.get(needle) ?? []).map((start): Span => ({ start, end: start + needle.length })),
    }))
  })
}

/** Words before an item in its line that all items have there, nearest first. */
function wordsInLine(placed: readonly Placed[]): string[] {
  const [pivot, ...others] = placed.toSorted((a, b) => a.spans.length - b.spans.length)
  const lineBefore = ({ text }: Placed, { start }: Span) =>
    text.slice(text.lastIndexOf('\n', Math.max(0, start - 1)) + (start === 0 ? 0 : 1), start)
  const first = pivot?.spans[0]
  if (pivot === undefined || first === undefined) return []
  const words = lineBefore(pivot, first).match(/[^\p{L}\p{N}]?[\p{L}\p{N}]{2,}[^\p{L}\p{N}]?/gu) ?? []
  return [...new Set(words.toReversed())]
    .slice(0, 12)
    .filter((word) => others.every((other) => other.spans.some((span) => lineBefore(other, span).includes(word))))
}

/** Returns the index of the first region from which on the regions equal the items; -1 where they do not. */
function offsetOf(text: string, regions: readonly number[], items: readonly string[]): number {
  const count = regions.length / 2
  const isAt = (offset: number) =>
    items.every((item, i) => text.slice(regions[(offset + i) * 2], regions[(offset + i) * 2 + 1]) === item)
  for (let offset = 0; offset + items.length <= count; offset++) if (isAt(offset)) return offset
  return -1
}

function section(text: string, regions: readonly number[], offset: number, count: number): Span {
  const first = regions[offset * 2] ?? 0
  const last = regions[(offset + count) * 2 - 1] ?? 0
  const lineEnd = text.indexOf('\n', last)
  return {
    start: text.lastIndexOf('\n', Math.max(0, first - 1)) + 1,
    end: lineEnd < 0 ? text.length : lineEnd,
  }
}

class ListTrial {
  readonly #samples: readonly ListSample[]
  readonly #budget: Budget
  readonly #units: number
  #tried = 0
  readonly found: TextList[] = []

  constructor(samples: readonly ListSample[], budget: Budget) {
    this.#samples = samples
    this.#budget = budget
    this.#units = samples.reduce((sum, { text }) => sum + text.length, 0)
  }

  get isOver(): boolean {
    return this.#tried >= MAX_TRIED || this.found.length >= MAX_FOUND
  }

  try(landmarks: Landmarks, order: number): boolean {
    if (this.isOver) return false
    this.#tried++
    this.#budget.spend(Math.ceil(this.#units / UNITS_PER_STEP / 2))
    const offsets: number[] = []
    const regions: (readonly number[])[] = []
    for (const { text, items } of this.#samples) {
      const found = regionsBetween(text, landmarks)
      const offset = offsetOf(text, found, items)
      if (offset < 0) return false
      offsets.push(offset)
      regions.push(found)
    }
    const cost = costOf('regions')
      .with('between.landmark', Math.max(0, landmarks.after.length - 1))
      .with('between.order', order)
    const { after, before } = landmarks
    const isWhole = this.#samples.every(({ items }, i) => (regions[i]?.length ?? 0) === items.length * 2)
    if (isWhole) {
      this.found.push({ build: (text) => ({ op: 'betweenAll', text, after, before }), cost })
      return true
    }
    const inside = this.#section(regions, offsets)
    if (inside === undefined) return false
    const list: TextList = {
      build: (text) => ({ op: 'betweenAll', text: regionExpr(text, inside), after, before }),
      cost: cost.plus(inside.cost),
    }
    this.found.push(list)
    return true
  }

  /** The region of the texts that holds just the items. */
  #section(regions: readonly (readonly number[])[], offsets: readonly number[]): Region | undefined {
    if (this.#samples.some(({ items }) => items.length === 0)) return undefined
    const samples = this.#samples.map(({ text, items }, i) => {
      const span = section(text, regions[i] ?? [], offsets[i] ?? 0, items.length)
      return { text, value: text.slice(span.start, span.end), spans: [span] }
    })
    return learnRegion(samples, this.#budget)[0]
  }
}

/** Finds the landmarks by which all items of a list are found: everything between them, in the text or in a region of it. */
export function learnRegionList(samples: readonly ListSample[], budget: Budget): TextList[] {
  const placed = placedItems(samples, budget)
  if (placed.length === 0 || placed.some(({ spans }) => spans.length === 0)) return []
  const values = [...new Set(samples.flatMap(({ items }) => items.slice(0, MAX_PLACES)))]
  const trial = new ListTrial(samples, budget)
  const contexts = commonContexts(placed)
  for (const { left, right } of contexts) {
    const rights = rightLandmarks(right).filter((landmark) => !values.some((value) => value.includes(landmark)))
    for (const [i, after] of leftLandmarks(left).entries()) {
      for (const [j, before] of rights.entries()) if (trial.try({ after: [after], before: [before] }, i + j)) break
      if (trial.isOver) break
    }
  }
  if (trial.found.length > 0) return trial.found
  for (const word of wordsInLine(placed)) {
    for (const { left, right } of contexts.slice(0, 2)) {
      const rights = rightLandmarks(right).filter((landmark) => !values.some((value) => value.includes(landmark)))
      for (const [i, after] of leftLandmarks(left).slice(0, 3).entries()) {
        for (const before of rights.slice(0, 3)) if (trial.try({ after: [word, after], before: [before] }, i + 2)) break
      }
    }
    if (trial.found.length > 0) break
  }
  return trial.found
}
