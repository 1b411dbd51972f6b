import { html } from 'htm/preact'
import { call } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { showKey } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'

/** Turns an anonymous workspace with its data into an account. */
export function ClaimForm() {
  const { restart } = usePage()
  const claim = async (/** @type {FormData} */ data) => {
    const name = textIn(data, 'name')
    /** @type {{ api_key: string }} */
    const claimed = await call('POST', '/v1/anon/claim', {
      anon_token: textIn(data, 'anon_token'),
      email: data.get('email'),
      ...(name && { name }),
    })
    await showKey('Your API key', claimed.api_key, 'The token has ended.')
    // The session of the token has ended with it.
    await call('POST', '/v1/signin', { api_key: claimed.api_key })
    restart()
  }
  return html`<${Form} title="Keep this workspace" action="Make it an account" perform=${claim}>
    <p>The workspace is removed when it expires. An account keeps it, with a new key.</p>
    <${Field}
      label="Token of the workspace"
      name="anon_token"
      type="password"
      required
      autocomplete="off"
      spellcheck="false"
      hint="The token that you signed in with. It begins with kao_."
    />
    <${Field} label="E-mail" name="email" type="email" required autocomplete="email" />
    <${Field}
      label="Name"
      name="name"
      maxlength="100"
      autocomplete="organization"
      hint="Your name or your company’s. Optional."
    />
  <//>`
}
