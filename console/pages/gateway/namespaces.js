import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { ErrorBox, useActions } from '../../parts/error.js'
import { formatNumber } from '../../parts/format.js'
import { say } from '../../parts/say.js'
import { Table } from '../../parts/table/table.js'
import { compileThese } from './compile-these.js'
/** @typedef {import('./gateway.js').Dashboard['namespaces'][number]} Namespace */
/** @typedef {import('zod').output<typeof import('../../../core/gateway/wire/captures/captures.ts').VerifyCapturesAnswer>} Verified */

/**
 * The namespace that the page shows.
 *
 * @param {{ namespaces: readonly Namespace[], chosen: string | undefined }} props
 */
export function NamespaceChoice({ namespaces, chosen = '' }) {
  const names = namespaces.map(({ namespace }) => namespace)
  const offered = chosen === '' || names.includes(chosen) ? names : [...names, chosen]
  const choose = (/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) => {
    location.hash = currentTarget.value === '' ? '#/gateway' : `#/gateway/${encodeURIComponent(currentTarget.value)}`
  }
  return html`<div class="field row">
    <label for="namespace">Namespace</label>
    <select id="namespace" name="namespace" onChange=${choose}>
      <option value="" selected=${chosen === ''}>All namespaces</option>
      ${offered.map((name) => html`<option key=${name} value=${name} selected=${name === chosen}>${name}</option>`)}
    </select>
  </div>`
}

/**
 * The namespaces with their chains of captures, and the way from captures to a compile.
 *
 * @param {{ namespaces: readonly Namespace[] }} props
 */
export function NamespacesTable({ namespaces }) {
  const { session } = usePage()
  const actions = useActions()
  const mayCompile = session.can('compile:write')
  const compile = (/** @type {string} */ name) => () => actions.run(async () => await compileThese(name))
  return html`<${ErrorBox} error=${actions.error} />
    <${Table}
      caption="Namespaces with calls"
      rows=${namespaces}
      empty="No calls in this namespace."
      keyOf=${(/** @type {Namespace} */ { namespace }) => namespace}
      columns=${[
        {
          title: 'Namespace',
          cell: (/** @type {Namespace} */ { namespace: name }) =>
            html`<a href="#/gateway/${encodeURIComponent(name)}">${name}</a>`,
          isWide: true,
        },
        { title: 'Calls', cell: (/** @type {Namespace} */ { calls }) => formatNumber(calls), isNumeric: true },
        {
          title: 'Chain',
          cell: (/** @type {Namespace} */ { namespace: name }) => html`<${ChainBadge} name=${name} />`,
        },
        {
          title: '',
          cell: (/** @type {Namespace} */ { namespace: name }) =>
            mayCompile &&
            html`<button
              type="button"
              aria-label="Compile these: approved captures of ${name}"
              onClick=${compile(name)}
            >
              Compile these
            </button>`,
        },
      ]}
    />`
}

/**
 * Verifies the chain of captures of a namespace when it is pressed, and shows what came out.
 *
 * @param {{ name: string }} props
 */
function ChainBadge({ name }) {
  const actions = useActions()
  const [result, setResult] = useState(/** @type {Verified | undefined} */ (undefined))
  const verify = () =>
    actions.run(async () => {
      /** @type {Verified} */
      const verified = await get(withQuery('/v1/captures/verify', { namespace: name }))
      setResult(verified)
      say(`${name}: ${chainText(verified)}`)
    })
  return html`<span class="chain">
    ${result !== undefined && html`<${Badge} status=${result.verified ? 'live' : 'failed'} text=${chainText(result)} />`}
    <button type="button" class="small" aria-label="Verify the chain of ${name}" onClick=${verify}>Verify</button>
    <${ErrorBox} error=${actions.error} />
  </span>`
}

/** @param {Verified} verified */
function chainText({ verified, chain_length: length, checkpoints, broken_at: broken }) {
  if (!verified) return `broken at row ${formatNumber(broken ?? 0)}`
  const signed =
    checkpoints === 0 ? '' : `, ${formatNumber(checkpoints)} signed ${checkpoints === 1 ? 'checkpoint' : 'checkpoints'}`
  return `valid: ${formatNumber(length)} ${length === 1 ? 'row' : 'rows'}${signed}`
}
