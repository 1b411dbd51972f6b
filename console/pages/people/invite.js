import { call } from '../../api.js'
import { ask } from '../../parts/dialog.js'
import { element, say } from '../../parts/dom.js'
import { field, select } from '../../parts/form.js'
import { GIVEN_ROLES } from './roles.js'

/**
 * Asks for an address and invites it. Resolves to true when an invitation was sent.
 *
 * @param {string} path where invitations are made
 */
export async function invite(path) {
  const email = element('input', { name: 'email', type: 'email', required: true, autocomplete: 'off' })
  const role = select({ name: 'role' }, GIVEN_ROLES, 'member')
  const done = await ask({
    title: 'Invite a person',
    body: [
      element('p', {}, 'A link goes to this address by mail. It is good for two weeks and holds a seat.'),
      field('E-mail', email),
      field('Role', role),
    ],
    confirm: 'Send the invitation',
    perform: async () => {
      /** @type {{ invitation: object | null }} */
      const invited = await call('POST', path, { email: email.value, role: role.value })
      return invited
    },
  })
  if (done === undefined) return false
  say(
    done.invitation === null
      ? `${email.value} was a member already and has joined.`
      : `A mail is on its way to ${email.value}.`,
  )
  return true
}
