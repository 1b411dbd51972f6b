import { call, get } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { askFirst } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { createTrouble } from '../../parts/error.js'
import { formatInstant, formatWord } from '../../parts/format.js'
import { table } from '../../parts/table.js'
import { readMembers } from '../people/read-members.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/identity/session-list.ts').ListSessionsAnswer>['sessions'][number]} Session */

/** @type {import('../index.js').Page} */
export const sessionsPage = {
  title: 'Sessions',
  within: 'account',
  scope: 'account:read',
  async load({ signal, session: own, reload }) {
    /** @type {{ sessions: readonly Session[] }} */
    const { sessions } = await get('/v1/account/sessions', signal)
    const trouble = createTrouble()
    const isOfMany = sessions.some(({ member_id: id }) => id !== own.memberId)
    const members = isOfMany && own.account?.kind === 'user' ? await readMembers(own.account.id, signal) : []
    const nameOf = (/** @type {string | null} */ id) => members.find((member) => member.id === id)?.email ?? '–'
    const shown = table({
      caption: 'Open sessions, last used first',
      rows: sessions,
      empty: 'No sessions.',
      columns: [
        { title: 'Browser', cell: ({ user_agent: agent }) => browserOf(agent), isWide: true },
        ...(isOfMany ? [{ title: 'Member', cell: (/** @type {Session} */ { member_id: id }) => nameOf(id) }] : []),
        { title: 'Address', cell: ({ ip }) => ip ?? '–' },
        { title: 'Signed in by', cell: ({ auth_method: method }) => formatWord(method) },
        { title: 'Last seen', cell: ({ last_seen_at: at }) => formatInstant(at) },
        { title: 'Until', cell: ({ expires_at: at }) => formatInstant(at) },
        {
          title: '',
          cell: (session) => {
            if (session.is_current) return badge('ready', 'this one')
            const onclick = () => trouble.run(async () => await end(session, reload))
            const label = `End the session of ${browserOf(session.user_agent)} since ${formatInstant(session.created_at)}`
            return element('button', { type: 'button', 'aria-label': label, onclick }, 'End')
          },
        },
      ],
    })
    const note = 'A session ends by itself when it is not used for some time, and with the key that opened it.'
    return [element('p', { class: 'quiet' }, note), trouble.outlet, shown]
  },
}

/**
 * @param {Session} session
 * @param {() => void} reload
 */
async function end(session, reload) {
  const isEnded = await askFirst({
    title: 'End this session?',
    text: 'The person who uses it has to sign in again.',
    confirm: 'End the session',
    perform: async () => await call('DELETE', `/v1/account/sessions/${session.id}`),
  })
  if (!isEnded) return
  say('The session has ended.')
  reload()
}

const NAMES = /** @type {const} */ ([
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
])
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux']

/**
 * The words of a user agent that people know. The order matters: each browser also names those that it is like.
 *
 * @param {string | null} agent
 */
function browserOf(agent) {
  if (agent === null || agent === '') return 'unknown'
  const name = NAMES.find(([word]) => agent.includes(`${word}/`))?.[1]
  const system = SYSTEMS.find((word) => agent.includes(word))
  if (name === undefined) return agent.slice(0, 60)
  return system === undefined ? name : `${name} on ${system}`
}
