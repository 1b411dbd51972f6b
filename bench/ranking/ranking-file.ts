import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'

export const RANKING_PATH = 'core/compile/synthesis/ranking/ranking.json'

const Figures = z.record(z.string(), z.number())

/** The ranking file: every figure by which the search orders programs. */
const RankingFile = z.strictObject({
  bounds: Figures,
  /** Digests of the data that the weights were fitted on, by source. */
  data: z.record(z.string(), z.string()),
  /** Cost for each shown row of the claim that no candidate is right. */
  none: z.number().nullable(),
  /** Values before the fit of the weights that the fit changed: a fit starts from these. */
  prior: Figures,
  shares: Figures,
  temperature: z.number().nullable(),
  weights: Figures,
})
export type RankingFile = z.infer<typeof RankingFile>
export type Weights = Readonly<Record<string, number>>

const WEIGHT_DECIMALS = 4

/** Reads the ranking file of this tree. */
export function readRanking(): RankingFile {
  return RankingFile.parse(JSON.parse(readFileSync(RANKING_PATH, 'utf8')))
}

/** The ranking that a fit starts from: the weights as they were set by hand. */
export function beforeFit(ranking: RankingFile): RankingFile {
  return {
    ...ranking,
    data: {},
    none: null,
    prior: {},
    temperature: null,
    weights: { ...ranking.weights, ...ranking.prior },
  }
}

/** Rounds weights to four decimals, halves away from zero as `toFixed` does. */
export function rounded(weights: Weights): Record<string, number> {
  return Object.fromEntries(
    Object.entries(weights).map(([name, weight]) => [name, Number(weight.toFixed(WEIGHT_DECIMALS)) + 0]),
  )
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Returns the bytes of a ranking file: names in order, two spaces, a line feed at the end. */
export function rankingText({ bounds, data, none, prior, shares, temperature, weights }: RankingFile): string {
  const file = {
    bounds: sorted(bounds),
    data: sorted(data),
    none,
    prior: sorted(prior),
    shares: sorted(shares),
    temperature,
    weights: sorted(rounded(weights)),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Writes the ranking file. */
export function writeRanking(path: string, ranking: RankingFile): void {
  writeFileSync(path, rankingText(ranking))
}
