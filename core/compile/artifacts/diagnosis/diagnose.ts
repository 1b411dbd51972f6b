import { wilsonInterval } from '../../../kernel/statistics/wilson-interval.ts'
import type { JudgedRow } from './judged-row.ts'

/** Rows of a category at which an interval is given. */
const INTERVAL_ROWS = 30
const MOST_SAMPLES = 3
const MOST_WORST = 3
/** Scores from which a category is good, and below which it is weak. */
const GOOD = 0.95
const WEAK = 0.85
/** Rows that a category should have. */
const ENOUGH_ROWS = 200
const LEAST_TO_ADD = 100

/** The rows of one category. */
export interface CategoryScore {
  readonly name: string
  readonly n: number
  readonly right: number
  /** Share of its right rows. */
  readonly accuracy: number
  /** 95 % Wilson interval of the share; null under 30 rows. */
  readonly interval: { readonly low: number; readonly high: number } | null
  /** Standard deviation of its rows' scores, which are 0 or 1. */
  readonly stddev: number
  /** The K-score that the artifact would have on these rows alone. */
  readonly kScore: number
  /** Ids of wrong rows, surest answers first. */
  readonly worstRows: readonly string[]
}

/** The next step, with its reason. */
export interface Recommendation {
  readonly action: 'promote_to_production' | 'capture_more' | 'inspect_captures'
  readonly priority: 'info' | 'medium' | 'high'
  readonly reason: string
  readonly category?: string
  readonly targetCount?: number
}

/** The diagnosis of an artifact by the categories of its rows. */
export interface Diagnosis {
  readonly n: number
  readonly right: number
  readonly kScore: number
  readonly categories: readonly CategoryScore[]
  readonly worstCategories: readonly string[]
  readonly recommendations: readonly Recommendation[]
}

/** A row that is diagnosed. */
export type DiagnosedRow = Pick<JudgedRow, 'id' | 'right' | 'category'> & { readonly confidence: number | null }

/** The K-score of an artifact, and the same over its accuracy: the other axes are the same for all rows. */
export interface ArtifactScore {
  readonly kScore: number
  readonly kPerAccuracy: number
}

/** Diagnoses an artifact by its rows, category by category. */
export function diagnose(rows: readonly DiagnosedRow[], { kScore, kPerAccuracy }: ArtifactScore): Diagnosis {
  const groups = Map.groupBy(rows, ({ category }) => category)
  const categories = [...groups]
    .map(([name, members]) => scoreOf(name, members, kPerAccuracy))
    .toSorted((a, b) => a.accuracy - b.accuracy || b.n - a.n || (a.name < b.name ? -1 : 1))
  const right = rows.filter((row) => row.right).length
  return {
    n: rows.length,
    right,
    kScore,
    categories,
    worstCategories: categories
      .filter(({ accuracy }) => accuracy < 1)
      .slice(0, MOST_WORST)
      .map(({ name }) => name),
    recommendations: recommend(categories, kScore),
  }
}

function scoreOf(name: string, rows: readonly DiagnosedRow[], kPerAccuracy: number): CategoryScore {
  const n = rows.length
  const right = rows.filter((row) => row.right).length
  const accuracy = right / n
  const worst = rows
    .filter((row) => !row.right)
    .toSorted((a, b) => (b.confidence ?? 0) - (a.confidence ?? 0))
    .slice(0, MOST_SAMPLES)
  return {
    name,
    n,
    right,
    accuracy: round(accuracy),
    interval: n < INTERVAL_ROWS ? null : wilsonInterval(right, n),
    stddev: round(Math.sqrt(accuracy * (1 - accuracy))),
    kScore: scaled(accuracy, kPerAccuracy),
    worstRows: worst.map(({ id }) => id),
  }
}

function scaled(accuracy: number, kPerAccuracy: number): number {
  return round(Math.min(1, accuracy * kPerAccuracy))
}

function round(value: number): number {
  return Number(value.toFixed(4))
}

/**
 * The rules of the reference, section 8. Its rule on the temperature of sampling is left out: compiled recipes answer without
 * sampling, so there is none to lower.
 */
function recommend(categories: readonly CategoryScore[], overall: number): readonly Recommendation[] {
  if (categories.length > 0 && categories.every(({ kScore }) => kScore >= GOOD)) {
    const reason = `every category has a K-score of at least ${GOOD}`
    return [{ action: 'promote_to_production', priority: 'info', reason }]
  }
  const weak = categories.filter(({ kScore }) => kScore < WEAK)
  const small = weak
    .filter(({ n }) => n < ENOUGH_ROWS)
    .map(({ name, n, kScore }): Recommendation => ({
      action: 'capture_more',
      priority: 'high',
      category: name,
      reason: `${name} has a K-score of ${kScore} on ${n} rows`,
      targetCount: Math.max(LEAST_TO_ADD, ENOUGH_ROWS - n),
    }))
  if (overall >= WEAK || weak.length > 0) return small
  const reason = `the K-score is ${overall} though every category reaches ${WEAK}`
  return [...small, { action: 'inspect_captures', priority: 'medium', reason }]
}
