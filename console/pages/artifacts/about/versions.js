import { html } from 'htm/preact'
import { LaterChart } from '../../../parts/chart/later-chart.js'
import { formatDay, formatNumber, formatScore } from '../../../parts/format.js'
import { Table } from '../../../parts/table/table.js'
/**
 * @typedef {import('zod').output<typeof
 * import('../../../../core/compile/wire/concepts.ts').GetConceptAnswer>['versions'][number]} Version
 */

/**
 * The versions of a concept: their K-scores as a chart, once there are several, and a list.
 *
 * @param {{ versions: readonly Version[], artifactId: string }} props `versions`: newest first
 */
export function Versions({ versions, artifactId }) {
  return html`${versions.length > 1 && html`<${ScoreChart} versions=${versions.toReversed()} artifactId=${artifactId} />`}
    <${Table}
      caption="Versions of the concept, newest first"
      rows=${versions}
      empty="The concept has no version any more."
      keyOf=${(/** @type {Version} */ { id }) => id}
      columns=${columnsFor(artifactId, versions)}
    />`
}

/** @param {{ versions: readonly Version[], artifactId: string }} props oldest first */
function ScoreChart({ versions, artifactId }) {
  const numbers = versions.map(({ version }) => version)
  const [first, last] = [numbers[0] ?? 1, numbers.at(-1) ?? 1]
  const own = versions.find(({ artifact_id: id }) => id === artifactId)
  return html`<${LaterChart}
    title="K-score by version"
    label="K-scores of ${formatNumber(versions.length)} versions; the newest has ${formatScore(versions.at(-1)?.k_score)}"
    x=${numbers}
    series=${[{ label: 'K', values: versions.map(({ k_score: score }) => score), form: 'line', colour: '--accent' }]}
    range=${{ x: [first - 0.2, last + 0.2], y: [0, 1] }}
    formatX=${(/** @type {number} */ value) => (Number.isInteger(value) ? formatNumber(value) : '')}
    formatY=${formatScore}
    ...${own && { mark: { x: own.version, y: own.k_score } }}
    table=${{
      columns: ['Version', 'K-score'],
      rows: versions.map(({ version, k_score: score }) => [formatNumber(version), formatScore(score)]),
    }}
  >
    ${own && html`<p class="legend">The mark is this artifact.</p>`}
  <//>`
}

/**
 * @param {string} artifactId
 * @param {readonly Version[]} versions
 * @returns {readonly import('../../../parts/table/table.js').Column<Version>[]}
 */
function columnsFor(artifactId, versions) {
  const own = versions.find(({ artifact_id: id }) => id === artifactId)
  return [
    {
      title: 'Version',
      cell: ({ version, artifact_id: id }) =>
        id === artifactId
          ? `${formatNumber(version)} (this one)`
          : html`<a href="#/artifact/${id}">Version ${formatNumber(version)}</a>`,
    },
    { title: 'K-score', cell: ({ k_score: score }) => formatScore(score), isNumeric: true },
    { title: 'Kind', cell: ({ recipe_kind: kind }) => kind },
    { title: 'Made', cell: ({ created_at: at }) => html`<time datetime=${at}>${formatDay(at)}</time>` },
    { title: '', cell: (version) => own !== undefined && html`<${CompareLink} own=${own} other=${version} />` },
  ]
}

/**
 * The way to the comparison of two versions, the older one first.
 *
 * @param {{ own: Version, other: Version }} props
 */
function CompareLink({ own, other }) {
  if (own.id === other.id) return null
  const [first, second] = other.version < own.version ? [other, own] : [own, other]
  return html`<a href="#/diff/${first.artifact_id}..${second.artifact_id}"
    >Compare with version ${formatNumber(other.version)}</a
  >`
}
