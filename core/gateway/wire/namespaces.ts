import { z } from 'zod'
import { GivenSettings, NamespaceSettings } from '../gate/namespaces/settings.ts'
import { NAMESPACE_NAME } from '../record/asked.ts'

/** The name of a namespace. */
export const NamespaceName = z
  .string()
  .regex(NAMESPACE_NAME, { error: 'must be lower-case letters, digits and dashes, at most 63' })
  .meta({ description: 'Name of the namespace', example: 'support' })

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
