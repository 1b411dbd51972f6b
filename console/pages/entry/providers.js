import { html } from 'htm/preact'
import { askedPath } from '../../address.js'
import { withQuery } from '../../api.js'
import { Field } from '../../parts/form/field.js'
import { Form } from '../../parts/form/form.js'
import { textIn } from '../../parts/form/text-in.js'

/**
 * Links to the providers that are configured.
 *
 * @param {{ providers: import('../../session.js').Door['ways']['providers'] }} props
 */
export function Providers({ providers }) {
  if (providers.length === 0) return null
  return html`<section class="providers" aria-label="Other ways">
    ${providers.map(
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
