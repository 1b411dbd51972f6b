import { html } from 'htm/preact'
import { call, get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { askFirst } from '../../parts/dialog/ask.js'
import { Heading } from '../../parts/facts.js'
import { formatInstant } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/orgs/invites.ts').InvitationRow>} Invitation */

/**
 * The invitations of an organisation and its teams; an open one can be taken back.
 *
 * @param {{ path: string, onClick: (work: () => Promise<unknown>) => () => void }} props
 */
export function Invitations({ path, onClick }) {
  const { signal } = usePage()
  const invitations = usePaged(
    async (cursor) => {
      /** @type {{ invitations: readonly Invitation[], next_cursor: string | null }} */
      const page = await get(withQuery(`${path}/invites`, { limit: 25, cursor }), signal)
      return { items: page.invitations, next: page.next_cursor }
    },
    [path],
  )
  const action = (/** @type {Invitation} */ invitation) =>
    invitation.state === 'open' &&
    html`<button
      type="button"
      aria-label="Revoke ${invitation.email}"
      onClick=${onClick(async () => await takeBack(invitation))}
    >
      Revoke
    </button>`
  return html`<${Heading} text="Invitations" />
    <${Table}
      caption="Invitations, newest first"
      paged=${invitations}
      empty="No invitations yet."
      keyOf=${(/** @type {Invitation} */ { id }) => id}
      columns=${[
        { title: 'To', cell: (/** @type {Invitation} */ { email }) => email, isWide: true },
        { title: 'Role', cell: (/** @type {Invitation} */ { role }) => role },
        {
          title: 'For',
          cell: (/** @type {Invitation} */ { team_id: team }) => (team === null ? 'the organisation' : 'a team'),
        },
        { title: 'State', cell: (/** @type {Invitation} */ { state }) => html`<${Badge} status=${state} />` },
        { title: 'Open until', cell: (/** @type {Invitation} */ { expires_at: at }) => formatInstant(at) },
        { title: '', cell: action },
      ]}
    />`
}

/** @param {Invitation} invitation */
async function takeBack({ id, email }) {
  const isDone = await askFirst({
    title: `Revoke the invitation of ${email}?`,
    text: 'The link in the mail stops working, and the seat becomes free.',
    confirm: 'Revoke it',
    leave: 'Keep it',
    perform: async () => await call('DELETE', `/v1/teams/invites/${id}`),
  })
  if (isDone) say('The invitation was revoked.')
  return isDone
}
