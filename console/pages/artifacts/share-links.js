import { call, get, withQuery } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { ask, askFirst, showOnce } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { field } from '../../parts/form.js'
import { formatInstant, formatNumber } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { table } from '../../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/share/links.ts').ShareLinkView>} ShareLink */

/**
 * Asks for the number of days, and creates a link to an artifact. Resolves to true when a link was created.
 *
 * @param {{ id: string }} artifact
 */
export async function shareArtifact({ id }) {
  const days = element('input', { name: 'days', type: 'number', min: 1, max: 7, value: 7, required: true })
  const made = await ask({
    title: 'Share this artifact',
    body: [
      element('p', {}, 'Anyone with the link can see the K-score and the report, and download the archive.'),
      element(
        'p',
        {},
        'The archive holds the rows it was compiled from, inputs and outputs, unless it was compiled with rows: "digests".',
      ),
      field('Days until it ends', days),
    ],
    confirm: 'Make the link',
    perform: async () => {
      const body = { kind: 'artifact', target_id: id, days: Number(days.value) }
      /** @type {{ url: string, expires_at: string }} */
      const link = await call('POST', '/v1/share-links', body)
      return link
    },
  })
  if (made === undefined) return false
  const note = `It works until ${formatInstant(made.expires_at)}, and is shown only now.`
  await showOnce({ title: 'The link', secret: made.url, note })
  return true
}

/**
 * Shows the shared links, ended ones included; shows nothing when there are none.
 *
 * @param {{ signal: AbortSignal, reload: () => void, mayEnd: boolean,
 *   trouble: ReturnType<typeof import('../../parts/error.js').createTrouble> }} input
 */
export async function shareLinks({ signal, reload, mayEnd, trouble }) {
  let isAny = false
  const end = async (/** @type {ShareLink} */ link) => {
    const isEnded = await askFirst({
      title: 'End this link?',
      text: 'The link stops working at once.',
      confirm: 'End the link',
      perform: async () => await call('DELETE', `/v1/share-links/${link.id}`),
    })
    if (!isEnded) return
    say('The link has ended.')
    reload()
  }
  const list = await pagedList({
    read: async (cursor) => {
      /** @type {{ share_links: readonly ShareLink[], next_cursor: string | null }} */
      const page = await get(withQuery('/v1/share-links', { limit: 25, cursor }), signal)
      isAny ||= page.share_links.length > 0
      return { items: page.share_links, next: page.next_cursor }
    },
    show: (links) =>
      table({
        caption: 'Links that were shared, newest first',
        rows: links,
        empty: 'No links.',
        columns: [
          {
            title: 'Artifact',
            cell: ({ target_id: id }) => element('a', { class: 'id', href: `#/artifact/${id}` }, id),
            isWide: true,
          },
          { title: 'State', cell: ({ state }) => badge(state) },
          { title: 'Opened', cell: ({ opened }) => formatNumber(opened), isNumeric: true },
          { title: 'Ends', cell: ({ expires_at }) => formatInstant(expires_at) },
          {
            title: '',
            cell: (link) =>
              mayEnd &&
              link.state === 'live' &&
              element('button', { type: 'button', onclick: () => trouble.run(async () => await end(link)) }, 'End'),
          },
        ],
      }),
    onError: trouble.show,
  })
  return isAny ? [element('h2', {}, 'Shared links'), list] : []
}
