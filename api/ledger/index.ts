import { getAuditRetentionRoute, listAuditRoute, verifyAuditRoute } from './audit.ts'
import { getJwksRoute } from './jwks.ts'
import { listReceiptSecretsRoute, pruneReceiptSecretRoute, rotateReceiptSecretRoute } from './receipt-secrets.ts'
import { verifyReceiptRoute } from './receipts.ts'
import type { Route } from './services.ts'

/** The routes of audit lines, receipts and their keys. */
export const LEDGER_ROUTES: readonly Route[] = [
  getJwksRoute,
  listReceiptSecretsRoute,
  rotateReceiptSecretRoute,
  pruneReceiptSecretRoute,
  listAuditRoute,
  verifyAuditRoute,
  getAuditRetentionRoute,
  verifyReceiptRoute,
]
