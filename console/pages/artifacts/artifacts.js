import { get, withQuery } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { element } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatBytes, formatDay, formatNumber } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { scoreBar } from '../../parts/score.js'
import { table } from '../../parts/table.js'
import { shareLinks } from './share-links.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/artifacts.ts').ArtifactView>} Artifact */

/** @type {import('../index.js').Page} */
export const artifactsPage = {
  title: 'Artifacts',
  scope: 'artifacts:read',
  async load({ signal, session, reload }) {
    const trouble = createTrouble()
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ artifacts: readonly Artifact[], next_cursor: string | null }} */
        const page = await get(withQuery('/v1/artifacts', { limit: 25, cursor }), signal)
        return { items: page.artifacts, next: page.next_cursor }
      },
      show: artifactsTable,
      onError: trouble.show,
    })
    const note = 'The band is the 95% interval of the accuracy, carried through the formula of K.'
    const links = await shareLinks({ signal, reload, trouble, mayEnd: session.can('artifacts:export') })
    return [element('p', { class: 'quiet' }, note), trouble.outlet, list, ...links]
  },
}

/** @param {readonly Artifact[]} artifacts */
function artifactsTable(artifacts) {
  return table({
    caption: 'Signed artifacts, newest first',
    rows: artifacts,
    empty: 'No artifacts yet. A compile whose K-score reaches its floor leaves one here.',
    columns: [
      {
        title: 'Task',
        cell: ({ id, name }) => element('a', { class: 'task', href: `#/artifact/${id}` }, name),
        isWide: true,
      },
      { title: 'Kind', cell: ({ recipe_kind: kind }) => kind },
      { title: 'K and its interval', cell: ({ k_score: score, k_interval: range }) => scoreBar(score, range) },
      { title: 'Held out', cell: ({ holdout_count: count }) => formatNumber(count), isNumeric: true },
      { title: 'Size', cell: ({ bytes }) => formatBytes(bytes), isNumeric: true },
      { title: 'State', cell: stateOf },
      { title: 'Signed', cell: ({ signed_at }) => element('time', { datetime: signed_at }, formatDay(signed_at)) },
    ],
  })
}

/** @param {Artifact} artifact */
export function stateOf(artifact) {
  return isExpired(artifact) ? badge('expired') : badge(artifact.status)
}

/** @param {Artifact} artifact */
export function isExpired({ expires_at: end }) {
  return end !== null && new Date(end) <= new Date()
}
