import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'

/**
 * Asks for the name of a new team, creates it and opens its page, unless the reader has left this one.
 *
 * @param {AbortSignal} signal
 */
export async function newTeam(signal) {
  const made = await ask({
    title: 'New team',
    body: html`<${Field} label="Name" name="name" maxlength="100" required />`,
    confirm: 'Create the team',
    perform: async (data) => {
      /** @type {{ team: { id: string } }} */
      const { team } = await call('POST', '/v1/teams', { name: data.get('name') })
      return team
    },
  })
  if (made && !signal.aborted) location.hash = `#/team/${made.id}`
  return false
}
