import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { askFirst } from '../../parts/dialog/ask.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { formatInstant, formatWord } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'
import { readMembers } from '../people/read-members.js'
import { browserOf } from './browser-of.js'

/**
 * @typedef {import('zod').output<typeof
 * import('../../../core/accounts/wire/identity/session-list.ts').ListSessionsAnswer>['sessions'][number]} Session
 */
/** @typedef {{ sessions: readonly Session[], isOfMany: boolean, members: readonly import('../people/read-members.js').Member[] }} Read */

/** The open sessions of the account. */
export function SessionsPage() {
  const { session: own } = usePage()
  const read = useRead(async (signal) => {
    /** @type {{ sessions: readonly Session[] }} */
    const { sessions } = await get('/v1/account/sessions', signal)
    const isOfMany = sessions.some(({ member_id: id }) => id !== own.memberId)
    const members = isOfMany && own.account?.kind === 'user' ? await readMembers(own.account.id, signal) : []
    return { sessions, isOfMany, members }
  }, [])
  return html`<p class="quiet">
      A session ends by itself when it is not used for some time, and with the key that opened it.
    </p>
    <${Reading} of=${read}>${(/** @type {Read} */ data) => html`<${SessionsTable} ...${data} />`}<//>`
}

/** @param {Read} props */
function SessionsTable({ sessions, isOfMany, members }) {
  const { reload } = usePage()
  const actions = useActions()
  const nameOf = (/** @type {Session} */ { member_id: id }) => members.find((member) => member.id === id)?.email ?? '–'
  const action = (/** @type {Session} */ session) => {
    if (session.is_current) return html`<${Badge} status="ready" text="this one" />`
    const label = `End the session of ${browserOf(session.user_agent)} since ${formatInstant(session.created_at)}`
    const onClick = () => actions.run(async () => await end(session, reload))
    return html`<button type="button" aria-label=${label} onClick=${onClick}>End</button>`
  }
  return html`<${ErrorBox} error=${actions.error} />
    <${Table}
      caption="Open sessions, last used first"
      rows=${sessions}
      empty="No sessions."
      keyOf=${(/** @type {Session} */ { id }) => id}
      columns=${[
        { title: 'Browser', cell: (/** @type {Session} */ { user_agent: agent }) => browserOf(agent), isWide: true },
        ...(isOfMany ? [{ title: 'Member', cell: nameOf }] : []),
        { title: 'Address', cell: (/** @type {Session} */ { ip }) => ip ?? '–' },
        { title: 'Signed in by', cell: (/** @type {Session} */ { auth_method: method }) => formatWord(method) },
        { title: 'Last seen', cell: (/** @type {Session} */ { last_seen_at: at }) => formatInstant(at) },
        { title: 'Until', cell: (/** @type {Session} */ { expires_at: at }) => formatInstant(at) },
        { title: '', cell: action },
      ]}
    />`
}

/**
 * @param {Session} session
 * @param {() => void} reload
 */
async function end(session, reload) {
  const isEnded = await askFirst({
    title: 'End this session?',
    text: 'The person who uses it must sign in again.',
    confirm: 'End the session',
    perform: async () => await call('DELETE', `/v1/account/sessions/${session.id}`),
  })
  if (!isEnded) return
  say('The session has ended.')
  reload()
}
