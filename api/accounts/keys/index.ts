import type { Route } from '../../kernel/route.ts'
import { createKeyRoute, listKeysRoute, reissueKeyRoute, rotateKeyRoute } from './primary.ts'
import { deleteProviderKeyRoute, listProviderKeysRoute, storeProviderKeyRoute } from '../../gateway/provider-keys.ts'
import {
  listReceiptSecretsRoute,
  pruneReceiptSecretRoute,
  rotateReceiptSecretRoute,
} from '../../ledger/receipt-secrets.ts'
import { listScopedKeysRoute, mintScopedKeyRoute, revokeScopedKeyRoute } from './scoped.ts'

/** Keys, receipt secrets and the vault of provider keys. */
export const KEY_ROUTES: readonly Route[] = [
  rotateKeyRoute,
  listKeysRoute,
  createKeyRoute,
  reissueKeyRoute,
  mintScopedKeyRoute,
  listScopedKeysRoute,
  revokeScopedKeyRoute,
  listProviderKeysRoute,
  storeProviderKeyRoute,
  deleteProviderKeyRoute,
  listReceiptSecretsRoute,
  rotateReceiptSecretRoute,
  pruneReceiptSecretRoute,
]
