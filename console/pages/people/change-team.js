import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask, askFirst } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { say } from '../../parts/say.js'
import { ROLES } from './roles.js'
/** @typedef {import('./team.js').Team} Team */
/** @typedef {import('./team.js').TeamMember} TeamMember */

/**
 * Asks for a new name, and renames the team.
 *
 * @param {string} path
 * @param {Team} team
 */
export async function renameTeam(path, { name: before }) {
  return await ask({
    title: 'Rename the team',
    body: html`<${Field} label="Name" name="name" maxlength="100" required defaultValue=${before} />`,
    confirm: 'Rename',
    perform: async (data) => {
      await call('PATCH', path, { name: data.get('name') })
      return true
    },
  })
}

/**
 * Asks, removes the team and goes back to the people, unless the reader has left the page.
 *
 * @param {string} path
 * @param {AbortSignal} signal
 */
export async function removeTeam(path, signal) {
  const isDone = await askFirst({
    title: 'Remove this team?',
    text: 'Its members stay in the organisation, and its keys keep working without a team. Its open invitations and shared provider keys are removed.',
    confirm: 'Remove the team',
    perform: async () => await call('DELETE', path),
  })
  if (isDone && !signal.aborted) location.hash = '#/people'
  return false
}

/**
 * Asks for another role of a member in the team.
 *
 * @param {string} path
 * @param {TeamMember} member
 */
export async function changeTeamRole(path, { member_id: id, email, role }) {
  return await ask({
    title: `Role of ${email} in the team`,
    body: html`<${Field} as="select" label="Role" name="role" options=${ROLES} chosen=${role} />`,
    confirm: 'Change the role',
    perform: async (data) => {
      await call('PATCH', `${path}/members/${id}`, { role: data.get('role') })
      return true
    },
  })
}

/**
 * Asks, and takes a member out of the team. Resolves to true when that was done.
 *
 * @param {string} path
 * @param {TeamMember} member
 */
export async function takeOutOfTeam(path, { member_id: id, email }) {
  const isDone = await askFirst({
    title: `Remove ${email} from the team?`,
    text: 'They stay in the organisation. Afterwards, rotate the provider keys that the team shares.',
    confirm: 'Remove from the team',
    perform: async () => await call('DELETE', `${path}/members/${id}`),
  })
  if (isDone) say(`${email} was removed from the team.`)
  return isDone
}
