import { html } from 'htm/preact'
import { call } from '../../api.js'
import { ask } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { rawTextIn } from '../../parts/form/text-in.js'
import { say } from '../../parts/say.js'

/**
 * Asks for another name of the organisation. Resolves to true when it was renamed.
 *
 * @param {string} path of the organisation
 * @param {string} before
 */
export async function renameOrg(path, before) {
  const name = await ask({
    title: 'Rename the organisation',
    body: html`<${Field}
      label="Name"
      name="name"
      minlength="3"
      maxlength="63"
      required
      defaultValue=${before}
      hint="3 to 63 lower-case letters, digits and hyphens. Deleting the account asks for this name."
    />`,
    confirm: 'Rename',
    perform: async (data) => {
      const wanted = rawTextIn(data, 'name')
      await call('PATCH', path, { name: wanted })
      return wanted
    },
  })
  if (name !== undefined) say(`The organisation is now called ${name}.`)
  return name !== undefined
}
