import { ASSIST_ROUTES } from './assist/index.ts'
import { CAPTURE_ROUTES } from './captures/index.ts'
import { CONTROL_ROUTES } from './control/index.ts'
import { getGatewayHealthRoute } from './gateway.ts'
import { AUDIO_ROUTES } from './inference/audio/index.ts'
import { INFERENCE_ROUTES } from './inference/index.ts'
import { STORED_RESPONSE_ROUTES } from './inference/stored-responses.ts'
import { getNamespaceRoute, listNamespacesRoute, putNamespaceRoute } from './namespaces.ts'
import { deleteProviderKeyRoute, listProviderKeysRoute, storeProviderKeyRoute } from './provider-keys.ts'
import { PROVIDER_ROUTES } from './providers/index.ts'
import type { Route } from './services.ts'

/** The routes of models, of their providers' keys and of the control center. */
export const GATEWAY_ROUTES: readonly Route[] = [
  getGatewayHealthRoute,
  ...INFERENCE_ROUTES,
  ...STORED_RESPONSE_ROUTES,
  ...AUDIO_ROUTES,
  ...PROVIDER_ROUTES,
  ...CAPTURE_ROUTES,
  listNamespacesRoute,
  getNamespaceRoute,
  putNamespaceRoute,
  listProviderKeysRoute,
  storeProviderKeyRoute,
  deleteProviderKeyRoute,
  ...CONTROL_ROUTES,
  ...ASSIST_ROUTES,
]
