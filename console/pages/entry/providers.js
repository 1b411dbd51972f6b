import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'
import { useRead } from '../../parts/read/use-read.js'
import { askedPath } from './asked-path.js'

/** @typedef {{ id: string, label: string, configured: boolean }} Provider */

/** Links to the providers that are configured. */
export function Providers() {
  const { data } = useRead(async (signal) => {
    /** @type {{ providers: readonly Provider[] }} */
    const { providers } = await get('/v1/oauth/providers', signal)
    return providers.filter(({ configured }) => configured)
  }, [])
  if (data === undefined || data.length === 0) return null
  return html`<section class="providers" aria-label="Other ways">
    ${data.map(
      ({ id, label }) =>
        html`<a key=${id} class="button" href=${withQuery(`/v1/oauth/${id}/start`, { redirect: askedPath() })}>
          Continue with ${label}
        </a>`,
    )}
  </section>`
}

/** The sign-in of members of an organisation with its own identity provider. */
export function Organisation() {
  const go = async (/** @type {FormData} */ data) => {
    const path = `/v1/sso/${encodeURIComponent(textIn(data, 'organisation'))}/start`
    location.assign(withQuery(path, { redirect: askedPath() }))
  }
  return html`<details>
    <summary>Single sign-on of an organisation</summary>
    <${Form} action="Go to its sign-in" perform=${go}>
      <${Field} label="Name of your organisation" name="organisation" required maxlength="100" autocomplete="off" />
    <//>
  </details>`
}
