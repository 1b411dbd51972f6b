import { call, get, withQuery } from '../api.js'
import { ask, askFirst, errorBox, field, showOnce } from '../parts/dialog.js'
import { element, say } from '../parts/dom.js'
import { formatBytes, formatDay, formatInstant, formatNumber } from '../parts/format.js'
import { scoreBar } from '../parts/score.js'
import { pagedList, table } from '../parts/table.js'

/**
 * @typedef {object} Artifact
 * @property {string} id
 * @property {string} name
 * @property {string} status
 * @property {string} recipe_kind
 * @property {string} cid
 * @property {number} k_score
 * @property {import('../parts/score.js').Interval} [k_interval]
 * @property {number} holdout_count
 * @property {number} bytes
 * @property {string} signed_at
 * @property {string} download_url
 */
/**
 * @typedef {object} ShareLink
 * @property {string} id
 * @property {string} kind
 * @property {string} target_id
 * @property {string} state
 * @property {string} created_at
 * @property {string} expires_at
 * @property {number} opened
 */

/** @type {import('../main.js').Page} */
export const artifactsPage = {
  title: 'Artifacts',
  async load({ signal, reload }) {
    const trouble = element('div')
    const onError = /** @param {unknown} error */ (error) => trouble.replaceChildren(errorBox(error))
    const list = await pagedList({
      read: async (cursor) => {
        /** @type {{ artifacts: readonly Artifact[], next_cursor: string | null }} */
        const page = await get(withQuery('/v1/artifacts', { limit: 25, cursor }), signal)
        return { items: page.artifacts, next: page.next_cursor }
      },
      show: (artifacts) => artifactsTable(artifacts, reload),
      onError,
    })
    const links = await shareLinks(signal, reload, onError)
    const note = 'The band is the 95 % interval of the accuracy, carried through the formula of K.'
    return [element('p', { class: 'quiet' }, note), trouble, list, ...links]
  },
}

/**
 * @param {readonly Artifact[]} artifacts
 * @param {() => void} reload
 */
function artifactsTable(artifacts, reload) {
  return table({
    caption: 'Signed artifacts, newest first',
    rows: artifacts,
    empty: 'No artifacts yet. A compile whose K-score reaches its floor leaves one here.',
    columns: [
      { title: 'Task', cell: ({ id, name }) => element('a', { class: 'task', href: `#/job/${id}` }, name) },
      { title: 'Kind', cell: ({ recipe_kind }) => recipe_kind },
      { title: 'K and its interval', cell: ({ k_score, k_interval }) => scoreBar(k_score, k_interval) },
      { title: 'Holdout', cell: ({ holdout_count }) => formatNumber(holdout_count), isNumeric: true },
      { title: 'Size', cell: ({ bytes }) => formatBytes(bytes), isNumeric: true },
      { title: 'Signed', cell: ({ signed_at }) => formatDay(signed_at) },
      { title: 'Do', cell: (artifact) => artifactActions(artifact, reload) },
    ],
  })
}

/**
 * @param {Artifact} artifact
 * @param {() => void} reload
 */
function artifactActions(artifact, reload) {
  return element(
    'span',
    { class: 'buttons' },
    element(
      'a',
      { class: 'button', href: artifact.download_url, download: '', 'aria-label': `Download ${artifact.name}` },
      'Download',
    ),
    element(
      'button',
      { type: 'button', 'aria-label': `Share ${artifact.name}`, onclick: () => void share(artifact, reload) },
      'Share',
    ),
  )
}

/**
 * @param {Artifact} artifact
 * @param {() => void} reload
 */
async function share(artifact, reload) {
  const days = element('input', { name: 'days', type: 'number', min: 1, max: 7, value: 7, required: true })
  const made = await ask({
    title: 'Share this artifact',
    body: [
      element('p', {}, 'Whoever has the link can see the K-score and the report, and download the archive.'),
      field('Days until it ends', days),
    ],
    confirm: 'Make the link',
    perform: async () => {
      const body = { kind: 'artifact', target_id: artifact.id, days: Number(days.value) }
      /** @type {{ url: string, expires_at: string }} */
      const link = await call('POST', '/v1/share-links', body)
      return link
    },
  })
  if (made === undefined) return
  await showOnce({
    title: 'The link',
    secret: made.url,
    note: `It works until ${formatInstant(made.expires_at)}, and is shown only now.`,
  })
  reload()
}

/**
 * @param {AbortSignal} signal
 * @param {() => void} reload
 * @param {(error: unknown) => void} onError
 */
async function shareLinks(signal, reload, onError) {
  /** @type {{ share_links: readonly ShareLink[] }} */
  const { share_links: links } = await get('/v1/share-links', signal)
  if (links.length === 0) return []
  const end = async (/** @type {ShareLink} */ link) => {
    const isEnded = await askFirst({
      title: 'End this link?',
      text: 'Whoever has it finds nothing there any more.',
      confirm: 'End the link',
      perform: async () => await call('DELETE', `/v1/share-links/${link.id}`),
    })
    if (isEnded) {
      say('The link has ended.')
      reload()
    }
  }
  const shown = table({
    caption: 'Links that were shared',
    rows: links,
    empty: '',
    columns: [
      {
        title: 'Artifact',
        cell: ({ target_id }) => element('a', { class: 'id', href: `#/job/${target_id}` }, target_id),
      },
      { title: 'State', cell: ({ state }) => element('span', { class: 'badge', 'data-status': state }, state) },
      { title: 'Opened', cell: ({ opened }) => formatNumber(opened), isNumeric: true },
      { title: 'Ends', cell: ({ expires_at }) => formatInstant(expires_at) },
      {
        title: 'Do',
        cell: (link) =>
          link.state === 'live'
            ? element('button', { type: 'button', onclick: () => void end(link).catch(onError) }, 'End')
            : undefined,
      },
    ],
  })
  return [element('h2', {}, 'Shared links'), shown]
}
