import { html } from 'htm/preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { askedPath } from '../../address.js'
import { call } from '../../api.js'
import { Choice, Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { rawTextIn, textIn } from '../../parts/form/text-in.js'
import { say } from '../../parts/say.js'

/** Sends a link that signs in, or makes a new key. */
export function MailForm() {
  const [isRecovery, setIsRecovery] = useState(false)
  const [sent, setSent] = useState('')
  const send = async (/** @type {FormData} */ data) => {
    const email = rawTextIn(data, 'email')
    /** @type {{ expires_in_s: number }} */
    const { expires_in_s: lifeS } = await call('POST', '/v1/auth/email/start', {
      email,
      mode: isRecovery ? 'recover' : 'sign_in',
      redirect: askedPath(),
      org: textIn(data, 'org') || undefined,
    })
    const text = `If ${email} belongs to an account, a link is on its way. It works once, for ${Math.round(lifeS / 60)} minutes.`
    setSent(text)
    say(text)
  }
  if (sent !== '') return html`<${Sent} text=${sent} />`
  return html`<${Form} title="With a link by mail" action="Send the link" perform=${send}>
    <${Field} label="E-mail" name="email" type="email" required autocomplete="email" />
    <${Field}
      label="Organisation"
      name="org"
      maxlength="100"
      autocomplete="off"
      hint="Only when your address is in several."
    />
    <${Choice}
      label="I have lost my key: make a new one"
      name="recover"
      onChange=${(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) =>
        setIsRecovery(currentTarget.checked)}
    />
    ${
      isRecovery &&
      html`<p class="quiet">The link gives you a new key and ends all other keys and sessions of the account.</p>`
    }
  <//>`
}

/** @param {{ text: string }} props */
function Sent({ text }) {
  const heading = useRef(/** @type {HTMLElement | null} */ (null))
  useLayoutEffect(() => heading.current?.focus(), [])
  return html`<div class="card">
    <h2 tabindex="-1" ref=${heading}>Check your mail</h2>
    <p>${text}</p>
  </div>`
}
