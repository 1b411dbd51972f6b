import { call, get, withQuery } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { askFirst } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { formatInstant } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { heading, table } from '../../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/orgs/invites.ts').InvitationRow>} Invitation */

/**
 * The invitations of an organisation and its teams; an open one can be taken back.
 *
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {(work: () => Promise<unknown>) => () => void} onclick
 * @param {(error: unknown) => void} onError
 */
export async function invitations(path, signal, onclick, onError) {
  const takeBack = async (/** @type {Invitation} */ { id, email }) => {
    const isDone = await askFirst({
      title: `Take the invitation of ${email} back?`,
      text: 'The link in the mail stops working, and the seat is free.',
      confirm: 'Take it back',
      leave: 'Keep it',
      perform: async () => await call('DELETE', `/v1/teams/invites/${id}`),
    })
    if (isDone) say('The invitation is taken back.')
    return isDone
  }
  const list = await pagedList({
    read: async (cursor) => {
      /** @type {{ invitations: readonly Invitation[], next_cursor: string | null }} */
      const page = await get(withQuery(`${path}/invites`, { limit: 25, cursor }), signal)
      return { items: page.invitations, next: page.next_cursor }
    },
    show: (rows) =>
      table({
        caption: 'Invitations, newest first',
        rows,
        empty: 'No invitations yet.',
        columns: [
          { title: 'To', cell: ({ email }) => email, isWide: true },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'For', cell: ({ team_id: team }) => (team === null ? 'the organisation' : 'a team') },
          { title: 'State', cell: ({ state }) => badge(state) },
          { title: 'Open until', cell: ({ expires_at: at }) => formatInstant(at) },
          {
            title: '',
            cell: (invitation) =>
              invitation.state === 'open' &&
              element(
                'button',
                {
                  type: 'button',
                  'aria-label': `Take back ${invitation.email}`,
                  onclick: onclick(async () => await takeBack(invitation)),
                },
                'Take back',
              ),
          },
        ],
      }),
    onError,
  })
  return [heading('Invitations'), list]
}
