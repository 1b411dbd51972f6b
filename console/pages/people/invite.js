import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { say } from '../../parts/say.js'
import { GIVEN_ROLES } from './roles.js'
import { rawTextIn } from '../../parts/form/text-in.js'

/**
 * Asks for an address and invites it. Resolves to true when an invitation was sent.
 *
 * @param {string} path where invitations are made
 */
export async function invite(path) {
  const done = await ask({
    title: 'Invite a person',
    body: html`<p>A mail with a link goes to this address. The invitation is open for two weeks and takes a seat.</p>
      <${Field} label="E-mail" name="email" type="email" required autocomplete="off" />
      <${Field} as="select" label="Role" name="role" options=${GIVEN_ROLES} chosen="member" />`,
    confirm: 'Send the invitation',
    perform: async (data) => {
      const email = rawTextIn(data, 'email')
      /** @type {{ invitation: object | null }} */
      const { invitation } = await call('POST', path, { email, role: data.get('role') })
      return { invitation, email }
    },
  })
  if (done === undefined) return false
  say(
    done.invitation === null
      ? `${done.email} was already a member and has joined.`
      : `A mail is on its way to ${done.email}.`,
  )
  return true
}
