import { CONNECTORS, WAITLIST } from '../../../core/gateway/providers/connectors.ts'
import { listChoices } from '../../../core/gateway/routing/overlay.ts'
import { ConnectorsAnswer, NotifyConnectorAnswer, NotifyConnectorBody } from '../../../core/gateway/wire/connectors.ts'
import { askForConnector, listAskedConnectors } from '../../../db/gateway/connectors/ask-for-connector.ts'
import { listHeldProviders } from '../../../db/gateway/provider-keys/list-held-providers.ts'
import { readOverlay } from '../../../db/gateway/providers/read-overlay.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { hasKey } from './providers.ts'

export const listConnectorsRoute = defineRoute({
  method: 'get',
  path: '/v1/connectors',
  operationId: 'listConnectors',
  group: 'gateway',
  summary: 'List model providers, the connectors that work, and the planned ones',
  description:
    'Says for each provider whether a call of the caller would find a key. Holds no key, and no address of a server of the operator.',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: they are the same in every namespace',
  answers: { 200: envelope('The connectors', ConnectorsAnswer) },
}).handle(async ({ op, principal, services }) => {
  const [overlay, held, asked] = await Promise.all([
    readOverlay(op),
    listHeldProviders(op, principal),
    listAskedConnectors(op),
  ])
  const base = services.publicUrl()
  return {
    status: 200,
    body: {
      providers: listChoices(overlay).map(({ provider, choice }) => ({
        provider: provider.id,
        label: provider.label,
        dialects: provider.speaks.map(([name]) => name),
        key_variable: provider.keyVariables[0] ?? null,
        configured: hasKey({ principal, services }, provider, held),
        enabled: choice.enabled,
      })),
      connectors: CONNECTORS.map(({ basePath, docs, ...connector }) => ({
        ...connector,
        docs: docs.startsWith('/') ? `${base}${docs}` : docs,
        base_url: basePath === null ? null : `${base}${basePath}`,
      })),
      waitlist: WAITLIST.map((id) => ({ id, asked: asked.has(id) })),
    },
  }
})

export const notifyConnectorRoute = defineRoute({
  method: 'post',
  path: '/v1/connectors/notify',
  operationId: 'notifyConnector',
  group: 'gateway',
  summary: 'Ask to be notified when a connector is available',
  description: 'Notes the address, or the tenant where none is given. Asking again changes nothing.',
  auth: 'key',
  scope: 'gateway:call',
  namespace: 'none: a wish is of the whole tenant and shows nothing of it',
  stores: 'bounded',
  limit: { name: 'connectors', limit: 'connector_interests_per_ip_day', windowS: 86_400, counts: 'calls' },
  body: NotifyConnectorBody,
  answers: { 200: envelope('The wish is noted', NotifyConnectorAnswer) },
  errors: ['limit_reached'],
}).handle(async ({ op, services, body: { connector, email = null } }) => {
  const isNew = await askForConnector(op, { connector, email, limits: services.limits })
  const message = isNew ? 'noted' : 'noted before'
  return { status: 200, body: { connector, email_accepted: email !== null, is_new: isNew, message } }
})
