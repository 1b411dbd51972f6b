import { z } from 'zod'
import { GivenSettings, NamespaceSettings } from '../gate/namespaces/settings.ts'
import { NamespaceName } from './namespace-name.ts'

/** Body of `PUT /v1/gateway/namespaces/{namespace}`. */
export { GivenSettings as NamespaceSettingsBody }

/** A namespace with its settings. */
export const NamespaceView = z
  .object({
    namespace: NamespaceName,
    settings: NamespaceSettings,
    updated_at: z.iso.datetime().nullable().meta({ description: 'Null for the defaults' }),
  })
  .meta({ id: 'GatewayNamespace' })

/** Answer of `GET /v1/gateway/namespaces`. */
export const ListNamespacesAnswer = z.object({ namespaces: z.array(NamespaceView), defaults: NamespaceSettings })

/** Answer of `GET` and `PUT /v1/gateway/namespaces/{namespace}`. */
export const NamespaceAnswer = z.object({ namespace: NamespaceView })
