import { html } from 'htm/preact'
import { Facts } from '../../parts/facts.js'
import { formatNumber, formatPercent } from '../../parts/format.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/learn/wire/datasets/quality.ts').Quality>} Report */
/** @typedef {NonNullable<Report['labels']>[number]} Label */
/** @typedef {NonNullable<Report['label_noise']>['suspects'][number]} Suspect */

/**
 * The quality of a version, as it was measured when it was built.
 *
 * @param {{ quality: Report }} props
 */
export function Quality({ quality }) {
  const { duplicates, contradictions, label_noise: noise, pii, characters, tokens, contamination, change } = quality
  const classes = Object.entries(pii.classes).map(([name, count]) => `${formatNumber(count ?? 0)} ${name}`)
  const { own, others } = contamination
  return html`<${Facts}
      facts=${[
        ['Equal rows left out', formatNumber(duplicates.exact_removed)],
        [
          'Near-duplicates',
          `${formatNumber(duplicates.grouped_rows)} rows in ${formatNumber(duplicates.groups)} groups, each on one side`,
        ],
        contradictions !== null && [
          'Contradictions',
          `${formatNumber(contradictions.inputs)} inputs with different outputs`,
        ],
        noise !== null && [
          'Wrong labels',
          `about ${formatNumber(noise.estimated)} of ${formatNumber(noise.rows)} (${formatPercent(noise.rate)})`,
        ],
        [
          'Sensitive text',
          `${formatNumber(pii.rows_with_finds)} of ${formatNumber(pii.rows)} rows${classes.length > 0 ? `: ${classes.join(', ')}` : ''}`,
        ],
        tokens === null ? ['Characters', lengthsOf(characters)] : [`Tokens of ${tokens.tokenizer}`, lengthsOf(tokens)],
        [
          'Contamination',
          `${formatNumber(own.contaminated)} of ${formatNumber(own.train_rows)} rows share ${own.words} words with a held-out row`,
        ],
        others !== null && [
          'In other holdouts',
          `${formatNumber(others.contaminated)} rows share ${others.words} words with those of ${formatNumber(others.datasets.length)} datasets`,
        ],
        change !== null && [
          'Since the version before',
          `${formatNumber(change.added)} added, ${formatNumber(change.removed)} removed, ${formatNumber(change.to_holdout)} newly held out`,
        ],
      ]}
    />
    ${quality.labels !== null && html`<${Table} caption="Rows by label" rows=${quality.labels} empty="None." columns=${LABELS} />`}
    ${
      noise !== null &&
      noise.suspects.length > 0 &&
      html`<${Table}
        caption="Labels that are probably wrong, the likeliest first"
        rows=${noise.suspects}
        empty="None."
        columns=${SUSPECTS}
      />`
    }`
}

/** @type {readonly import('../../parts/table/table.js').Column<Label>[]} */
const LABELS = [
  { title: 'Label', cell: ({ label }) => label, isWide: true },
  { title: 'To learn from', cell: ({ train }) => formatNumber(train), isNumeric: true },
  { title: 'Held out', cell: ({ holdout }) => formatNumber(holdout), isNumeric: true },
]

/** @type {readonly import('../../parts/table/table.js').Column<Suspect>[]} */
const SUSPECTS = [
  { title: 'Row', cell: ({ row_id: id }) => html`<code>${id}</code>`, isWide: true },
  { title: 'Label', cell: ({ given }) => given },
  { title: 'Likelier', cell: ({ suggested }) => suggested },
]

/** @param {{ p50: number, p95: number, max: number }} lengths */
function lengthsOf({ p50, p95, max }) {
  return `${formatNumber(p50)} in the median, ${formatNumber(p95)} at 95 %, ${formatNumber(max)} at most`
}
