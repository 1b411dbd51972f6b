import { call } from '../../api.js'
import { ask } from '../../parts/dialog.js'
import { element } from '../../parts/dom.js'
import { field } from '../../parts/form.js'

/**
 * Asks for the name of a new team, creates it and opens its page, unless the reader has left this one.
 *
 * @param {AbortSignal} signal
 */
export async function newTeam(signal) {
  const name = element('input', { name: 'name', maxlength: 100, required: true })
  const made = await ask({
    title: 'New team',
    body: [field('Name', name)],
    confirm: 'Make the team',
    perform: async () => {
      /** @type {{ team: { id: string } }} */
      const { team } = await call('POST', '/v1/teams', { name: name.value })
      return team
    },
  })
  if (made && !signal.aborted) location.hash = `#/team/${made.id}`
  return false
}
