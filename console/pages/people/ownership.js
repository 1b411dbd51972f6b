import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask, askFirst } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { say } from '../../parts/say.js'
/** @typedef {import('./read-members.js').Member} Member */

/**
 * Makes another member the owner. Resolves to true when that was done.
 *
 * @param {string} path
 * @param {readonly Member[]} members
 * @param {Member | undefined} own
 */
export async function handOver(path, members, own) {
  const others = members.filter((member) => member !== own && member.state === 'active' && member.email_verified)
  if (others.length === 0)
    throw new Error('No other active member has a verified address. Invite one, or ask a member to verify theirs.')
  const heirs = others.map(({ id, email }) => [id, email])
  const text =
    'You become an admin. The account gets the new owner’s e-mail address. The primary key and the sessions that it opened end.'
  const done = await ask({
    title: 'Transfer the organisation?',
    body: html`<p>${text}</p>
      <${Field} as="select" label="New owner" name="member_id" options=${heirs} />`,
    confirm: 'Transfer it',
    isDangerous: true,
    perform: async (data) => {
      await call('POST', `${path}/transfer-owner`, { member_id: data.get('member_id') })
      return true
    },
  })
  if (done) say('The organisation has a new owner.')
  return done
}

/**
 * Leaves the organisation, and with it the console.
 *
 * @param {string} path
 */
export async function leaveOrg(path) {
  const isDone = await askFirst({
    title: 'Leave the organisation?',
    text: 'All your sessions and keys end immediately. To come back, you need an invitation.',
    confirm: 'Leave',
    leave: 'Stay',
    perform: async () => await call('POST', `${path}/leave`),
  })
  if (isDone) location.assign('/')
  return false
}
