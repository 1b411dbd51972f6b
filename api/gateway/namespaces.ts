import { z } from 'zod'
import { completed, DEFAULT_SETTINGS } from '../../core/gateway/gate/namespaces/settings.ts'
import {
  ListNamespacesAnswer,
  NamespaceAnswer,
  NamespaceSettingsBody,
  type NamespaceView,
} from '../../core/gateway/wire/namespaces.ts'
import { NamespaceName } from '../../core/gateway/wire/namespace-name.ts'
import { findNamespace } from '../../db/gateway/namespaces/find-namespace.ts'
import { listNamespaces } from '../../db/gateway/namespaces/list-namespaces.ts'
import { putNamespace } from '../../db/gateway/namespaces/put-namespace.ts'
import type { NamespaceEntry } from '../../db/gateway/namespaces/stored-settings.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from './services.ts'

function presentNamespace({ namespace, settings, updatedAt }: NamespaceEntry): z.input<typeof NamespaceView> {
  return { namespace, settings, updated_at: updatedAt?.toISOString() ?? null }
}

export const listNamespacesRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/namespaces',
  operationId: 'listGatewayNamespaces',
  group: 'gateway',
  summary: 'List the namespaces with settings for calls of models',
  auth: 'key',
  scope: 'capture:read',
  namespace: 'bounded',
  answers: { 200: envelope('The namespaces, by name, and the defaults of all others', ListNamespacesAnswer) },
}).handle(async ({ op }) => {
  const namespaces = await listNamespaces(op)
  return { status: 200, body: { namespaces: namespaces.map(presentNamespace), defaults: DEFAULT_SETTINGS } }
})

export const getNamespaceRoute = defineRoute({
  method: 'get',
  path: '/v1/gateway/namespaces/{namespace}',
  operationId: 'getGatewayNamespace',
  group: 'gateway',
  summary: 'Show the settings of a namespace for calls of models',
  auth: 'key',
  scope: 'capture:read',
  namespace: 'bounded',
  params: z.object({ namespace: NamespaceName }),
  answers: { 200: envelope('The settings in force', NamespaceAnswer) },
}).handle(async ({ op, params }) => {
  return { status: 200, body: { namespace: presentNamespace(await findNamespace(op, params.namespace)) } }
})

export const putNamespaceRoute = defineRoute({
  method: 'put',
  path: '/v1/gateway/namespaces/{namespace}',
  operationId: 'putGatewayNamespace',
  group: 'gateway',
  summary: 'Replace the settings of a namespace for calls of models',
  description:
    'Absent settings get their defaults. Unknown settings are refused, and so are settings that contradict each other. This process uses the new settings from its next call on, the others a moment later.',
  auth: 'key',
  scope: 'namespace:admin',
  namespace: 'bounded',
  stores: 'bounded',
  params: z.object({ namespace: NamespaceName }),
  body: NamespaceSettingsBody,
  answers: { 200: envelope('The settings in force', NamespaceAnswer) },
  errors: ['limit_reached', 'not_found'],
}).handle(async ({ op, services, params, body }) => {
  const { limits, compiledRecords: records } = services
  const entry = await putNamespace(op, { namespace: params.namespace, settings: completed(body), limits, records })
  services.namespaces.forget(op.tenantId)
  return { status: 200, body: { namespace: presentNamespace(entry) } }
})
