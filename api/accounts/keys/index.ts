import type { Route } from '../services.ts'
import { createKeyRoute, listKeysRoute, reissueKeyRoute, rotateKeyRoute } from './primary.ts'
import { listScopedKeysRoute, mintScopedKeyRoute, revokeScopedKeyRoute } from './scoped.ts'

/** The keys of a tenant. */
export const KEY_ROUTES: readonly Route[] = [
  rotateKeyRoute,
  listKeysRoute,
  createKeyRoute,
  reissueKeyRoute,
  mintScopedKeyRoute,
  listScopedKeysRoute,
  revokeScopedKeyRoute,
]
