import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { ApiError, call, get } from '../../api.js'
import { leave } from '../../app/router.js'
import { usePage } from '../../app/use-page.js'
import { showKey } from '../../parts/dialog/ask.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'
import { useRead } from '../../parts/read/use-read.js'
import { say } from '../../parts/say.js'
import { readDoor } from '../../session.js'

/** The ways to keep an anonymous workspace: as an account of its own, or in an account that is there already. */
export function ClaimForms() {
  const { data: door } = useRead(readDoor, [])
  if (door === undefined) return null
  return html`<div class="ways">
    ${door.ways.sign_up && html`<${NewAccount} />`} ${door.ways.mail && html`<${KnownAccount} />`}
  </div>`
}

/** Turns the workspace with its data into an account. The session of the workspace proves whose it is. */
function NewAccount() {
  const { restart } = usePage()
  const claim = async (/** @type {FormData} */ data) => {
    const name = textIn(data, 'name')
    try {
      /** @type {{ api_key: string }} */
      const claimed = await call('POST', '/v1/anon/claim', { email: data.get('email'), ...(name && { name }) })
      await showKey('Your API key', claimed.api_key, 'The workspace is an account now.')
    } catch (error) {
      if (!(await wasDone(error, isAccount))) throw error
      say('The workspace is an account now. The answer with its key was lost: make a new key on the page Keys.')
    }
    // The session of the workspace is one of the account now.
    restart()
  }
  return html`<${Form} title="Keep this workspace" action="Make it an account" perform=${claim}>
    <p>The workspace is removed when it expires. An account keeps it, with its jobs and artifacts.</p>
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

/** Moves the data of the workspace into an account, whose verified address gets a code. */
function KnownAccount() {
  const [email, setEmail] = useState('')
  const send = async (/** @type {FormData} */ data) => {
    const address = textIn(data, 'known-email')
    await call('POST', '/v1/anon/claim', { email: address, send_code: true })
    setEmail(address)
  }
  const merge = async (/** @type {FormData} */ data) => {
    try {
      await call('POST', '/v1/anon/claim', { email, code: textIn(data, 'code') })
    } catch (error) {
      if (!(await wasDone(error, isMoved))) throw error
    }
    // The session of the workspace has ended; its cookie would only say so.
    await call('POST', '/v1/session/logout')
    leave()
    say('The work is in your account. Sign in to it.')
  }
  if (email === '') {
    return html`<${Form} key="send" title="I have an account" action="Send a code" perform=${send}>
      <p>Moves the jobs and artifacts into your account. Its keys stay as they are.</p>
      <${Field}
        label="E-mail of your account"
        name="known-email"
        of="email"
        type="email"
        required
        autocomplete="email"
      />
    <//>`
  }
  return html`<${Form} key="merge" title="Enter the code" action="Move the work there" perform=${merge}>
    <p>If ${email} belongs to an account, a code is on its way.</p>
    <${Field} label="Code" name="code" required maxlength="64" autocomplete="one-time-code" spellcheck="false" />
  <//>`
}

/**
 * Returns whether a claim was done whose answer was lost, now or in an attempt before.
 *
 * @param {unknown} error of the claim
 * @param {() => Promise<boolean>} look
 */
async function wasDone(error, look) {
  if (!(error instanceof ApiError)) return false
  if (error.status !== 0 && error.status < 500 && error.code !== 'invalid_token') return false
  // Where the service still cannot be reached, the form stays to be sent again.
  return await look().catch(() => false)
}

async function isAccount() {
  /** @type {import('../../session.js').Account} */
  const { kind } = await get('/v1/account')
  return kind !== 'anonymous'
}

async function isMoved() {
  /** @type {import('../../session.js').Door} */
  const { session } = await get('/v1/session')
  return session !== 'open'
}
