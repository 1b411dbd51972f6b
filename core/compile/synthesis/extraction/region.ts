import type { Expr } from '../../language/ast.ts'
import { type Landmarks, regionsBetween } from '../../language/primitives/text/regions.ts'
import { costOf, type Cost } from '../ranking/cost.ts'
import type { Budget } from '../search/budget.ts'
import { anchorLines, commonContexts, type Context, leftLandmarks, type Placed, rightLandmarks } from './contexts.ts'
import { nextLabels, sharedLabels } from './labels.ts'
import { type Span, spansOf } from './occurrences.ts'

/** A text with the part that is wanted; undefined where it has none. */
export interface Sample {
  readonly text: string
  readonly value: string | undefined
  /** Positions of the part, where they are known. */
  readonly spans?: readonly Span[]
}

/** A region by its landmarks. */
export interface Region extends Landmarks {
  readonly occurrence: number
  /** White space at the ends is left out. */
  readonly isTrimmed: boolean
  readonly cost: Cost
}

const MAX_SPANS = 4096
const MAX_REGIONS = 20_000
const MAX_OCCURRENCE = 8
const MAX_FROM_END = 3
const MAX_FOUND = 12
const MAX_IN_CONTEXT = 2
/** Landmarks that are tried for one region, and those with a walk over all regions. */
const MAX_TRIED = 240
const MAX_WALKS = 60
/** Units of text in one step. */
const UNITS_PER_STEP = 64

/** The expression of a region of a text. */
export function regionExpr(text: Expr, { after, before, occurrence, isTrimmed }: Region): Expr {
  const region: Expr = { op: 'between', text, after, before, occurrence }
  return isTrimmed ? { op: 'trim', text: region } : region
}

/** The region of a text; undefined without one. */
export function regionOf(text: string, region: Region): string | undefined {
  const { occurrence } = region
  const found = regionsBetween(text, region, occurrence > 0 ? occurrence : Infinity)
  const index = occurrence > 0 ? (occurrence - 1) * 2 : found.length + occurrence * 2
  if (index < 0 || index >= found.length) return undefined
  const value = text.slice(found[index], found[index + 1])
  return region.isTrimmed ? value.trim() : value
}

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

function costOfRegion({ after, before }: Landmarks, occurrence: number, isTrimmed: boolean, order: number): Cost {
  const last = after.at(-1) ?? ''
  return costOf('between')
    .with('between.landmark', Math.max(0, after.length - 1))
    .with('between.end', Math.max(0, before.length - 1))
    .with('between.occurrence', Math.abs(occurrence) - 1)
    .when(occurrence < 0, 'between.fromEnd')
    .when(!LETTER_OR_DIGIT.test(last), 'between.marks')
    .when(/\d/.test(after.join('')), 'between.digits')
    .when(isTrimmed, 'between.trim')
    .when(last.endsWith('\n') && last.length > 1, 'between.heading')
    .with('between.order', order)
}

/** Tries landmarks on all samples. */
class Trial {
  readonly #samples: readonly Sample[]
  readonly #isTrimmed: boolean
  readonly #budget: Budget
  readonly #units: number
  #tried = 0
  #walks = 0
  readonly found: Region[] = []

  constructor(samples: readonly Sample[], isTrimmed: boolean, budget: Budget) {
    // Texts without the part are looked at last: the others refuse most landmarks.
    this.#samples = samples.toSorted((a, b) => Number(a.value === undefined) - Number(b.value === undefined))
    this.#isTrimmed = isTrimmed
    this.#budget = budget
    this.#units = samples.reduce((sum, { text }) => sum + text.length, 0)
  }

  get isOver(): boolean {
    return this.found.length >= MAX_FOUND || this.#tried >= MAX_TRIED
  }

  /** Tries landmarks; `order` is their place among the likely ones. */
  try(landmarks: Landmarks, order: number): boolean {
    if (this.isOver) return false
    this.#tried++
    this.#budget.spend(1 + Math.ceil((this.#units * landmarks.after.length) / UNITS_PER_STEP / 8))
    const occurrence = this.#isFirst(landmarks) ? 1 : this.#occurrence(landmarks)
    if (occurrence === undefined) return false
    const cost = costOfRegion(landmarks, occurrence, this.#isTrimmed, order)
    this.found.push({ ...landmarks, occurrence, isTrimmed: this.#isTrimmed, cost })
    return true
  }

  #value(text: string, start: number | undefined, end: number | undefined): string {
    const value = text.slice(start, end)
    return this.#isTrimmed ? value.trim() : value
  }

  #isFirst(landmarks: Landmarks): boolean {
    return this.#samples.every(({ text, value }) => {
      const [start, end] = regionsBetween(text, landmarks, 1)
      return value === undefined ? start === undefined : start !== undefined && this.#value(text, start, end) === value
    })
  }

  /** The place among the regions, from the start or the end, that is right on every sample. */
  #occurrence(landmarks: Landmarks): number | undefined {
    if (this.#walks >= MAX_WALKS) return undefined
    this.#walks++
    this.#budget.spend(Math.ceil(this.#units / UNITS_PER_STEP))
    let common: Set<number> | undefined
    for (const { text, value } of this.#samples) {
      const regions = regionsBetween(text, landmarks, MAX_REGIONS)
      if (value === undefined) {
        if (regions.length > 0) return undefined
        continue
      }
      const count = regions.length / 2
      const own = new Set<number>()
      for (let i = 0; i < count; i++) {
        if (i >= MAX_OCCURRENCE && i < count - MAX_FROM_END) continue
        if (this.#value(text, regions[i * 2], regions[i * 2 + 1]) !== value) continue
        if (i < MAX_OCCURRENCE) own.add(i + 1)
        if (i >= count - MAX_FROM_END && count < MAX_REGIONS) own.add(i - count)
      }
      common = common === undefined ? own : common.intersection(own)
      if (common.size === 0) return undefined
    }
    return [...(common ?? [])].toSorted((a, b) => Math.abs(a) - Math.abs(b) || b - a)[0]
  }
}

function widened(text: string, { start, end }: Span): Span {
  let from = start
  let to = end
  while (from > 0 && /[^\S\n]/.test(text.charAt(from - 1))) from--
  while (to < text.length && /[^\S\n]/.test(text.charAt(to))) to++
  return { start: from, end: to }
}

/** Ends that are tried behind a landmark: for a block under a heading the labels that the texts show come first. */
function endsBehind(
  after: string,
  rights: readonly string[],
  labels: readonly string[],
  values: readonly string[],
): (readonly string[])[] {
  const single = rights.map((right) => [right])
  if (labels.length === 0) return single
  const isBlock = after.endsWith('\n') || values.some((value) => value.includes('\n'))
  if (!isBlock) return [...single, labels, [...labels, '']]
  const isPlain = ([right]: readonly string[]) => right === '\n'
  const areLabels = rights.some((right) => labels.includes(right) || labels.some((label) => right.startsWith(label)))
  const first = areLabels ? [labels] : []
  return [...first, ...single.filter((one) => !isPlain(one)), labels, [...labels, ''], ...single.filter(isPlain)]
}

function tryContexts(
  trial: Trial,
  contexts: readonly Context[],
  values: readonly string[],
  ends: readonly string[],
): void {
  const labels = ends.filter((end) => !values.some((value) => value.includes(end)))
  for (const { left, right } of contexts) {
    const rights = rightLandmarks(right).filter((landmark) => !values.some((value) => value.includes(landmark)))
    let found = 0
    for (const [i, after] of leftLandmarks(left).entries()) {
      for (const [j, before] of endsBehind(after, rights, labels, values).entries()) {
        if (!trial.try({ after: [after], before }, i + Math.min(j, 4))) continue
        found++
        break
      }
      if (trial.isOver) return
      if (found >= MAX_IN_CONTEXT) break
      if (found === 0 && i < 3 && trial.try({ after: [after], before: [''] }, i + 4)) found++
    }
  }
}

/** Labels behind the places of values that stand at one place only. */
function nextEnds(placed: readonly Placed[]): string[] {
  return nextLabels(
    placed.flatMap(({ text, spans }) => (spans.length === 1 ? [{ text, ends: spans.map(({ end }) => end) }] : [])),
  )
}

/**
 * Finds the landmarks by which a region is found in every sample, cheapest first: what stands right before and after it, a line
 * further up that leads to it, or the next of the labels that the texts show. Samples without a value have no such region.
 */
export function learnRegion(samples: readonly Sample[], budget: Budget): Region[] {
  const present = samples.flatMap(({ text, value, spans }) =>
    value === undefined ? [] : [{ text, value, spans: spans ?? spansOf(text, value, MAX_SPANS) }],
  )
  if (present.length === 0 || present.some(({ spans }) => spans.length === 0)) return []
  const units = samples.reduce((sum, { text }) => sum + text.length, 0)
  budget.spend(Math.ceil(units / UNITS_PER_STEP))
  const values = [...new Set(present.map(({ value }) => value))]
  const found: Region[] = []
  for (const isTrimmed of [false, true]) {
    if (found.length > 0 || (isTrimmed && values.some((value) => value !== value.trim()))) break
    const placed = isTrimmed
      ? present.map(({ text, spans }) => ({ text, spans: spans.map((span) => widened(text, span)) }))
      : present
    const trial = new Trial(samples, isTrimmed, budget)
    const contexts = commonContexts(placed)
    const ends = [...new Set([...nextEnds(placed), ...sharedLabels(samples.map(({ text }) => text))])]
    tryContexts(trial, contexts, values, ends)
    if (trial.found.length === 0) {
      const anchors = anchorLines(placed)
      for (const [a, anchor] of anchors.entries()) {
        for (const { left, right } of contexts.slice(0, 3)) {
          const rights = rightLandmarks(right).filter((landmark) => !values.some((value) => value.includes(landmark)))
          for (const [i, after] of leftLandmarks(left).slice(0, 4).entries()) {
            for (const [j, before] of endsBehind(after, rights, [], values).slice(0, 3).entries())
              if (trial.try({ after: [anchor, after], before }, a + i + j)) break
          }
        }
        if (trial.found.length > 0) break
      }
    }
    found.push(...trial.found)
  }
  return found.toSorted((a, b) => a.cost.total - b.cost.total)
}
