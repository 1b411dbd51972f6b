import { html } from 'htm/preact'
import { call, get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { askFirst } from '../../parts/dialog/ask.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { formatInstant, formatNumber } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/compile/wire/share/links.ts').ShareLinkView>} ShareLink */

/** The shared links, ended ones included; nothing when there are none. */
export function ShareLinks() {
  const { signal, session, reload } = usePage()
  const actions = useActions()
  const links = usePaged(async (cursor) => {
    /** @type {{ share_links: readonly ShareLink[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/share-links', { limit: 25, cursor }), signal)
    return { items: page.share_links, next: page.next_cursor }
  }, [])
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
  const mayEnd = session.can('artifacts:export')
  const endButton = (/** @type {ShareLink} */ link) =>
    mayEnd &&
    link.state === 'live' &&
    html`<button type="button" onClick=${() => actions.run(async () => await end(link))}>End</button>`
  if (links.error === undefined && !links.rows?.length) return null
  return html`<h2>Shared links</h2>
    <${ErrorBox} error=${actions.error} />
    <${Table}
      caption="Links that were shared, newest first"
      paged=${links}
      empty="No links."
      columns=${[
        {
          title: 'Artifact',
          cell: (/** @type {ShareLink} */ { target_id: id }) => html`<a class="id" href="#/artifact/${id}">${id}</a>`,
          isWide: true,
        },
        { title: 'State', cell: (/** @type {ShareLink} */ { state }) => html`<${Badge} status=${state} />` },
        {
          title: 'Opened',
          cell: (/** @type {ShareLink} */ { opened }) => formatNumber(opened),
          isNumeric: true,
        },
        { title: 'Runs', cell: runsOf, isNumeric: true },
        { title: 'Ends', cell: (/** @type {ShareLink} */ { expires_at: at }) => formatInstant(at) },
        { title: '', cell: endButton },
      ]}
    />`
}

/** @param {ShareLink} link */
function runsOf({ allow_run: isAllowed, runs, runs_left: left }) {
  return isAllowed ? `${formatNumber(runs)} of ${formatNumber(runs + left)}` : '–'
}
