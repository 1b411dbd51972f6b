import type { z } from 'zod'
import type { RunDetail } from '../../../core/learn/wire/distill/runs.ts'
import { percent } from '../../terminal/percent.ts'
import { plainText } from '../../terminal/table.ts'

/** Rows that are listed at most; the document of the run has more. */
const MOST_LISTED = 20

/** Lists the held-out rows whose label is doubtful, and the K-score without them; the reason where labels were not checked. */
export function doubtfulLines(labels: z.output<typeof RunDetail>['held_out_labels']): readonly string[] {
  if (labels === null) return []
  if (labels.status === 'not_checked') return [`labels     not checked: ${labels.message}`]
  const { rows, doubtful, suspects, without_doubtful: without } = labels
  if (doubtful === 0) return [`labels     none of ${rows} held-out labels is doubtful`]
  const listed = suspects.slice(0, MOST_LISTED)
  const more = doubtful - listed.length
  return [
    `labels     ${doubtful} of ${rows} held-out labels are doubtful`,
    ...listed.map(
      ({ row_id: id, given, suggested, probability }) =>
        `           ${id}: ${plainText(given)}, expected ${plainText(suggested)} (${percent(probability)})`,
    ),
    ...(more > 0 ? [`           and ${more} more; with --json the first 100 are listed`] : []),
    ...(without === null
      ? []
      : [`           without them K would be ${without.k_score.toFixed(4)}; the gate uses all held-out rows`]),
  ]
}
