import { perturb, type Perturbed, type Seed, type TaskFacts } from './perturb.ts'

/** Rows that are weak for one reason. */
export interface WeakCluster {
  readonly id: string
  readonly label: string
  readonly seeds: readonly Seed[]
}

/** A changed row with its cluster. */
export interface AdversarialCase extends Perturbed {
  readonly clusterId: string
  readonly clusterLabel: string
  readonly seed: Seed
}

/** The cases, and how many there would be. */
export interface GeneratedCases {
  readonly cases: readonly AdversarialCase[]
  readonly available: number
}

/** Changes the rows of the clusters, one case from each cluster in turn, up to `most`. Deterministic. */
export function generateCases(clusters: readonly WeakCluster[], facts: TaskFacts, most: number): GeneratedCases {
  const lists = clusters.map(({ id, label, seeds }) =>
    inTurn(
      seeds.map((seed) => perturb(seed, facts).map((one) => ({ ...one, clusterId: id, clusterLabel: label, seed }))),
    ),
  )
  const all = inTurn(lists)
  return { cases: all.slice(0, most), available: all.length }
}

/** The items of several lists, one of each in turn. */
function inTurn<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length))
  return Array.from({ length: longest }, (_, place) => lists.flatMap((list) => list.slice(place, place + 1))).flat()
}
