import { CONTROL_ROUTES } from './control/index.ts'
import { getGatewayHealthRoute } from './gateway.ts'
import { deleteProviderKeyRoute, listProviderKeysRoute, storeProviderKeyRoute } from './provider-keys.ts'
import type { Route } from './services.ts'

/** The routes of model providers and of the control center. */
export const GATEWAY_ROUTES: readonly Route[] = [
  getGatewayHealthRoute,
  listProviderKeysRoute,
  storeProviderKeyRoute,
  deleteProviderKeyRoute,
  ...CONTROL_ROUTES,
]
