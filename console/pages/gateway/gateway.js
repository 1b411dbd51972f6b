import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Heading } from '../../parts/facts.js'
import { Reading } from '../../parts/read/reading.js'
import { useRead } from '../../parts/read/use-read.js'
import { FirstCall } from './first-call.js'
import { NamespaceChoice, NamespacesTable } from './namespaces.js'
import { ProvidersTable, TimesChart } from './providers.js'
import { RecentCalls } from './recent-calls.js'
import { Review } from './review.js'
import { RoutesTable, Summary } from './summary.js'

/** @typedef {import('zod').output<typeof import('../../../core/gateway/wire/dashboard.ts').DashboardAnswer>} Dashboard */

/** @typedef {{ shown: Dashboard, namespaces: Dashboard['namespaces'], namespace: string | undefined, hasCaptures: boolean }} Shown */

/** Calls of models of the last 30 days: routes, savings, providers, and the captures to review. */
export function GatewayPage() {
  const { argument } = usePage()
  const namespace = argument === '' ? undefined : argument
  const read = useRead(
    async (signal) => {
      const path = '/v1/gateway/dashboard'
      /** @type {[Dashboard, Dashboard | undefined, { captures: readonly object[] }]} */
      const [all, one, { captures }] = await Promise.all([
        get(path, signal),
        namespace === undefined ? undefined : get(withQuery(path, { namespace }), signal),
        get('/v1/captures/list?limit=1', signal),
      ])
      // The choice offers every namespace, whichever is shown.
      return { shown: one ?? all, namespaces: all.namespaces, namespace, hasCaptures: captures.length > 0 }
    },
    [namespace],
  )
  return html`<${Reading} of=${read}>
    ${(/** @type {Shown} */ now) =>
      now.namespaces.length === 0
        ? html`<${FirstCall} /> ${now.hasCaptures && html`<${Review} />`}`
        : html`<${Calls} ...${now} />`}
  <//>`
}

/** @param {Shown} props */
function Calls({ shown, namespaces, namespace }) {
  return html`<${NamespaceChoice} namespaces=${namespaces} chosen=${namespace} />
    <${Summary} dashboard=${shown} />
    <${Review} key=${namespace} namespace=${namespace} />
    <${Heading} text="Namespaces" />
    <${NamespacesTable} namespaces=${shown.namespaces} />
    <${Heading} text="Routes" />
    <${RoutesTable} routes=${shown.routes} />
    <${Heading} text="Providers" />
    <${TimesChart} providers=${shown.by_provider} />
    <${ProvidersTable} providers=${shown.by_provider} />
    <${Heading} text="Recent calls" />
    <${RecentCalls} calls=${shown.recent_calls} />`
}
