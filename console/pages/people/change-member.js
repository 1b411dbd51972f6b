import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask, askFirst } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { say } from '../../parts/say.js'
import { GIVEN_ROLES } from './roles.js'
import { rawTextIn } from '../../parts/form/text-in.js'
/** @typedef {import('./read-members.js').Member} Member */

/**
 * Asks for another role of a member. Resolves to true when it was changed.
 *
 * @param {string} path of the organisation
 * @param {Member} member
 */
export async function changeMemberRole(path, { id, email, role }) {
  const given = await ask({
    title: `Role of ${email}`,
    body: html`<${Field}
      as="select"
      label="Role"
      name="role"
      options=${GIVEN_ROLES}
      chosen=${role}
      hint="With a lower role, keys of the member that have more permissions than the role are revoked immediately."
    />`,
    confirm: 'Change the role',
    perform: async (data) => {
      const wanted = rawTextIn(data, 'role')
      await call('PATCH', `${path}/members/${id}`, { role: wanted })
      return wanted
    },
  })
  if (given !== undefined) say(`${email} is now ${given}.`)
  return given !== undefined
}

/**
 * Asks, and removes a member. Resolves to true when that was done.
 *
 * @param {string} path of the organisation
 * @param {Member} member
 */
export async function removeMember(path, { id, email }) {
  const isDone = await askFirst({
    title: `Remove ${email}?`,
    text: 'Their sessions and keys end immediately, and their seat becomes free. Their work stays.',
    confirm: 'Remove the member',
    perform: async () => await call('DELETE', `${path}/members/${id}`),
  })
  if (isDone) say(`${email} was removed.`)
  return isDone
}
