import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { formatBytes, formatDay, formatNumber } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Score } from '../../parts/evidence/score.js'
import { Table } from '../../parts/table/table.js'
import { ArtifactState } from './artifact-state.js'
import { ShareLinks } from './share-links.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts.ts').ArtifactView>} Artifact */

/** The signed artifacts, and the links to them. */
export function ArtifactsPage() {
  const { signal } = usePage()
  const artifacts = usePaged(async (cursor) => {
    /** @type {{ artifacts: readonly Artifact[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/artifacts', { limit: 25, cursor }), signal)
    return { items: page.artifacts, next: page.next_cursor }
  }, [])
  return html`<p class="quiet">The band is the 95% interval of the accuracy, carried through the formula of K.</p>
    <${Table}
      caption="Signed artifacts, newest first"
      paged=${artifacts}
      empty="No artifacts yet. A compile whose K-score reaches its floor leaves one here."
      keyOf=${(/** @type {Artifact} */ { id }) => id}
      filter=${(/** @type {Artifact} */ { name, recipe_kind: kind }) => `${name} ${kind}`}
      columns=${COLUMNS}
    />
    <${ShareLinks} />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Artifact>[]} */
const COLUMNS = [
  {
    title: 'Task',
    cell: ({ id, name }) => html`<a class="task" href="#/artifact/${id}">${name}</a>`,
    sort: ({ name }) => name,
    isWide: true,
  },
  { title: 'Kind', cell: ({ recipe_kind: kind }) => kind, sort: ({ recipe_kind: kind }) => kind },
  {
    title: 'K and its interval',
    cell: ({ k_score: score, k_interval: interval }) => html`<${Score} score=${score} interval=${interval} />`,
    sort: ({ k_score: score }) => score,
  },
  {
    title: 'Held out',
    cell: ({ holdout_count: count }) => formatNumber(count),
    sort: ({ holdout_count: count }) => count,
    isNumeric: true,
  },
  { title: 'Size', cell: ({ bytes }) => formatBytes(bytes), sort: ({ bytes }) => bytes, isNumeric: true },
  { title: 'State', cell: (artifact) => html`<${ArtifactState} artifact=${artifact} />` },
  {
    title: 'Signed',
    cell: ({ signed_at: at }) => html`<time datetime=${at}>${formatDay(at)}</time>`,
    sort: ({ signed_at: at }) => at,
  },
]
