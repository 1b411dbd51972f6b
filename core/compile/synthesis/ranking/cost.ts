import RANKING from './ranking.json' with { type: 'json' }

/** A feature of programs that has a weight in `ranking.json`. */
export type FeatureName = keyof typeof RANKING.weights
/** A part whose features count in a fixed share. */
type ShareName = keyof typeof RANKING.shares
/** A cost above or below which the search decides differently. */
type BoundName = keyof typeof RANKING.bounds

/** Costs are whole numbers of this part of a weight, so that a sum does not depend on the order of its terms. */
const PARTS = 1_000_000

function inParts<K extends string>(figures: Readonly<Record<K, number>>): Readonly<Record<K, number>> {
  const parts: Record<K, number> = { ...figures }
  for (const name in parts) parts[name] = Math.round(figures[name] * PARTS)
  return parts
}

/** The temperature at which costs are probabilities: fitted with the weights, on tasks left out of their fit. */
export const TEMPERATURE = RANKING.temperature
/** The cost for each row shown of the claim that no candidate is right: cheapest candidates above it are mostly wrong. */
export const NONE_PER_ROW = RANKING.none

const WEIGHTS = inParts(RANKING.weights)
const BOUNDS = inParts(RANKING.bounds)

/**
 * The cost of a node or a program: the sum of its features' weights, each as often as it occurs. Every cost keeps the
 * costs that it was made from, so that the features of a finished program can be read from it.
 */
export class Cost {
  /** The sum in millionths of a weight: a whole number. */
  readonly total: number
  private readonly base: Cost | undefined
  private readonly feature: FeatureName | undefined
  /** Occurrences of the feature; without a feature, the factor on the counts of `base`. */
  private readonly count: number
  private readonly other: Cost | undefined

  private constructor(
    total: number,
    base: Cost | undefined,
    feature: FeatureName | undefined,
    count: number,
    other: Cost | undefined,
  ) {
    this.total = total
    this.base = base
    this.feature = feature
    this.count = count
    this.other = other
  }

  /** The cost of nothing. */
  static readonly NONE = new Cost(0, undefined, undefined, 1, undefined)
  /** The cost of a program that is never taken. */
  static readonly INFINITE = new Cost(Infinity, undefined, undefined, 1, undefined)

  /** Adds a feature, counted by a quantity. */
  with(feature: FeatureName, count = 1): Cost {
    if (count === 0) return this
    return new Cost(this.total + Math.round(WEIGHTS[feature] * count), this, feature, count, undefined)
  }

  /** Adds a feature where the condition holds. */
  when(condition: boolean, feature: FeatureName): Cost {
    return condition ? this.with(feature) : this
  }

  /** Adds the cost of another part. */
  plus(other: Cost): Cost {
    if (other === Cost.NONE) return this
    return this === Cost.NONE ? other : new Cost(this.total + other.total, this, undefined, 1, other)
  }

  /** The share of this cost that counts in a larger program. */
  share(name: ShareName): Cost {
    const factor = RANKING.shares[name]
    return new Cost(Math.round(this.total * factor), this, undefined, factor, undefined)
  }

  /** The features with their counts, in alphabetical order. */
  features(): ReadonlyMap<FeatureName, number> {
    const counts = new Map<FeatureName, number>()
    const open: { readonly cost: Cost; readonly factor: number }[] = [{ cost: this, factor: 1 }]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { base, feature, count, other } = next.cost
      if (feature !== undefined) counts.set(feature, (counts.get(feature) ?? 0) + count * next.factor)
      if (base !== undefined)
        open.push({ cost: base, factor: feature === undefined ? count * next.factor : next.factor })
      if (other !== undefined) open.push({ cost: other, factor: next.factor })
    }
    return new Map([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The cost as a sum of weights. */
  get value(): number {
    return this.total / PARTS
  }
}

/** The cost of one feature, counted by a quantity. */
export function costOf(feature: FeatureName, count = 1): Cost {
  return Cost.NONE.with(feature, count)
}

/** Orders by cost, lowest first. */
export function byCost(a: { readonly cost: Cost }, b: { readonly cost: Cost }): number {
  return a.cost.total - b.cost.total
}

/** Returns a bound as a total of costs. */
export function costBound(name: BoundName): number {
  return BOUNDS[name]
}
