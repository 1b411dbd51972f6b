import { html } from 'htm/preact'
import { call, get } from '../../api.js'
import { Facts } from '../../parts/facts.js'
import { Form } from '../../parts/form/form.js'
import { formatInstant } from '../../parts/format.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/teams/invites.ts').GetInviteAnswer>} Invitation */

/**
 * The page of an invitation to an organisation or a team.
 *
 * @param {import('../index.js').EntryCall} props
 */
export function InvitationPage({ argument, onSignedIn }) {
  const path = `/v1/teams/invites/${encodeURIComponent(argument)}`
  const read = useRead(async (signal) => /** @type {Invitation} */ (await get(path, signal)), [path])
  const accept = async () => {
    await call('POST', `${path}/accept`)
    onSignedIn()
  }
  return html`<div class="ways">
    <${Reading} of=${read}>
      ${(/** @type {Invitation} */ { org, team, email, role, expires_at: end }) =>
        html`<${Form} title="Join ${org.name}" action="Accept the invitation" perform=${accept}>
          <${Facts}
            facts=${[
              team !== null && ['Team', team.name],
              ['As', email],
              ['Role', role],
              ['Open until', formatInstant(end)],
            ]}
          />
          <p class="quiet">Accepting signs you in there, in place of any other account in this browser.</p>
        <//>`}
    <//>
  </div>`
}
