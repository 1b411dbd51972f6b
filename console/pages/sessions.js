import { call, get } from '../api.js'
import { askFirst, errorBox } from '../parts/dialog.js'
import { element, say } from '../parts/dom.js'
import { formatInstant, formatWord } from '../parts/format.js'
import { table } from '../parts/table.js'

/**
 * @typedef {object} Session
 * @property {string} id
 * @property {string} auth_method
 * @property {string} created_at
 * @property {string} last_seen_at
 * @property {string} expires_at
 * @property {string | null} ip
 * @property {string | null} user_agent
 * @property {boolean} is_current
 */

/** @type {import('../main.js').Page} */
export const sessionsPage = {
  title: 'Sessions',
  async load({ signal, reload }) {
    /** @type {{ sessions: readonly Session[] }} */
    const { sessions } = await get('/v1/account/sessions', signal)
    const trouble = element('div')
    const end = async (/** @type {Session} */ session) => {
      const isEnded = await askFirst({
        title: 'End this session?',
        text: 'Whoever uses it has to sign in again.',
        confirm: 'End the session',
        perform: async () => await call('DELETE', `/v1/account/sessions/${session.id}`),
      })
      if (!isEnded) return
      say('The session has ended.')
      reload()
    }
    const shown = table({
      caption: 'Open sessions',
      rows: sessions,
      empty: 'No sessions.',
      columns: [
        { title: 'Browser', cell: ({ user_agent }) => element('span', { class: 'agent' }, browserOf(user_agent)) },
        { title: 'Address', cell: ({ ip }) => ip ?? '–' },
        { title: 'Signed in with', cell: ({ auth_method }) => formatWord(auth_method) },
        { title: 'Since', cell: ({ created_at }) => formatInstant(created_at) },
        { title: 'Last seen', cell: ({ last_seen_at }) => formatInstant(last_seen_at) },
        { title: 'Until', cell: ({ expires_at }) => formatInstant(expires_at) },
        {
          title: 'Do',
          cell: (session) =>
            session.is_current
              ? element('span', { class: 'badge', 'data-status': 'ready' }, 'this one')
              : element(
                  'button',
                  {
                    type: 'button',
                    onclick: () => void end(session).catch((error) => trouble.replaceChildren(errorBox(error))),
                  },
                  'End',
                ),
        },
      ],
    })
    return [trouble, shown]
  },
}

/**
 * The words of a user agent that people know.
 *
 * @param {string | null} agent
 */
function browserOf(agent) {
  if (agent === null || agent === '') return 'unknown'
  const name = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari'].find((word) => agent.includes(`${word}/`))
  const system = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'].find((word) => agent.includes(word))
  if (name === undefined) return agent.slice(0, 60)
  const known = { Edg: 'Edge', OPR: 'Opera' }
  return `${name in known ? known[/** @type {keyof typeof known} */ (name)] : name}${system ? ` on ${system}` : ''}`
}
