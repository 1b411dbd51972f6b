import { call, get } from '../../api.js'
import { element } from '../../parts/dom.js'
import { errorBox } from '../../parts/error.js'
import { actionForm } from '../../parts/form.js'
import { formatInstant } from '../../parts/format.js'
import { factList } from '../../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/accounts/wire/teams/invites.ts').GetInviteAnswer>} Invitation */

/** @type {import('../index.js').EntryPage} */
export const invitationPage = {
  title: 'Invitation',
  show({ argument, onSignedIn }) {
    const outlet = element('div', { class: 'ways' }, element('p', { class: 'empty' }, 'Reading …'))
    const path = `/v1/teams/invites/${encodeURIComponent(argument)}`
    readInvitation(path).then(
      (invitation) => outlet.replaceChildren(acceptance(invitation, path, onSignedIn)),
      (error) => outlet.replaceChildren(errorBox(error)),
    )
    return [outlet]
  },
}

/**
 * @param {string} path
 * @returns {Promise<Invitation>}
 */
async function readInvitation(path) {
  return await get(path)
}

/**
 * @param {Invitation} invitation
 * @param {string} path
 * @param {() => void} onAccepted
 */
function acceptance({ org, team, email, role, expires_at }, path, onAccepted) {
  return actionForm({
    title: `Join ${org.name}`,
    fields: [
      factList([
        ...(team === null ? [] : [/** @type {const} */ (['Team', team.name])]),
        ['As', email],
        ['Role', role],
        ['Open until', formatInstant(expires_at)],
      ]),
      element('p', { class: 'quiet' }, 'Accepting signs you in there, in place of any other account in this browser.'),
    ],
    action: 'Accept the invitation',
    async perform() {
      await call('POST', `${path}/accept`)
      onAccepted()
    },
  })
}
