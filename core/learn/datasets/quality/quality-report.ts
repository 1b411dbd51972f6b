import type { z } from 'zod'
import type { Quality } from '../../wire/datasets/quality.ts'

/**
 * The quality of a version, as it was measured when it was built. Where there are very many rows, some figures are of a
 * sample of them; each says of how many rows it is. A figure that cannot be measured is null.
 */
export type QualityReport = z.infer<typeof Quality>
/** Quantiles of a measured quantity over rows. */
export type Quantiles = QualityReport['characters']
/** Wrong labels, by confident learning. */
export type LabelNoise = NonNullable<QualityReport['label_noise']>
/** A row whose label is probably wrong; the margin is the probability of its label less that of the suggested one. */
export type SuspectLabel = LabelNoise['suspects'][number]
/** The changes since the version before. */
export type VersionChange = NonNullable<QualityReport['change']>
/** Rows to learn from that share a run of words with held-out rows. */
export type Contamination = QualityReport['contamination']['own']

/** Ids that a part of the report names at most. */
export const MOST_NAMED = 100
/** Rows that slow figures are measured on at most. */
export const SAMPLE_ROWS = 20_000
/** Characters of these rows at most: of long rows fewer are measured. */
export const SAMPLE_CHARS = 40_000_000
