import type { Route } from './overview/services.ts'
import { accountRoutes } from './overview/account/index.ts'
import { adminRoutes } from './overview/admin/index.ts'
import {
  downloadArtifactRoute,
  findByCidRoute,
  getArtifactRoute,
  getEvidenceTraceRoute,
  listArtifactsRoute,
  verifyManifestRoute,
} from './compile/artifacts.ts'
import { BILLING_ROUTES } from './billing/index.ts'
import { compileBuilderRoute, listBuildsRoute, listTemplatesRoute } from './compile/build/builder.ts'
import { previewBuilderRoute, previewBuildRoute } from './compile/build/previews.ts'
import { getStrategyCatalogRoute, getStrategyRoute, postStrategyRoute } from './compile/build/strategy.ts'
import { createCompileRoute } from './compile/jobs/create.ts'
import { cancelCompileRoute, downloadCompileRoute, getCompileRoute, listCompilesRoute } from './compile/jobs/jobs.ts'
import {
  estimateFromBodyRoute,
  estimateFromQueryRoute,
  previewCompileRoute,
  startCompileRoute,
} from './compile/jobs/plan.ts'
import { streamCompileRoute } from './compile/jobs/stream.ts'
import {
  deleteConceptRoute,
  getConceptRoute,
  getLineageRoute,
  getStatsRoute,
  listConceptsRoute,
} from './compile/concepts.ts'
import { CONTROL_ROUTES } from './gateway/control/index.ts'
import { createExportRoute, downloadExportRoute, getExportRoute, listExportsRoute } from './compile/exports/jobs.ts'
import { planExportRoute } from './compile/exports/plan.ts'
import { fitRoute } from './compile/fit.ts'
import { healthRoutes } from './overview/health/index.ts'
import { IDENTITY_ROUTES } from './accounts/identity/index.ts'
import { ORG_ROUTES } from './accounts/orgs/index.ts'
import { verifyReceiptRoute } from './ledger/receipts.ts'
import { listReceiptSecretsRoute, pruneReceiptSecretRoute, rotateReceiptSecretRoute } from './ledger/receipt-secrets.ts'
import { deleteProviderKeyRoute, listProviderKeysRoute, storeProviderKeyRoute } from './gateway/provider-keys.ts'
import { deleteAccountRoute } from './overview/account/deletion.ts'
import { exportRegistryRoute, getRegistryRoute } from './compile/registry.ts'
import { runRoute } from './compile/run/route.ts'
import { SHARE_ROUTES } from './compile/share/index.ts'
import { SCIM_ROUTES } from './accounts/scim/index.ts'
import { SSO_ROUTES } from './accounts/sso/index.ts'
import { TEAM_ROUTES } from './accounts/teams/index.ts'
import { USAGE_ROUTES } from './billing/usage/index.ts'
import { KEY_ROUTES } from './accounts/keys/index.ts'
import { listScopesRoute } from './accounts/keys/scopes.ts'

/**
 * Every route of the service. Binding, guard, reference page and contract tests come from this list. Of two that match
 * one path the first serves, so fixed paths stand before those with parameters; `run`, which is called most, leads.
 */
export const ROUTES: readonly Route[] = [
  runRoute,
  ...healthRoutes(() => ROUTES),
  ...IDENTITY_ROUTES,
  ...SSO_ROUTES,
  ...SCIM_ROUTES,
  listScopesRoute(() => ROUTES),
  ...KEY_ROUTES,
  listProviderKeysRoute,
  storeProviderKeyRoute,
  deleteProviderKeyRoute,
  listReceiptSecretsRoute,
  rotateReceiptSecretRoute,
  pruneReceiptSecretRoute,
  ...CONTROL_ROUTES,
  ...accountRoutes(() => ROUTES),
  ...USAGE_ROUTES,
  ...TEAM_ROUTES,
  ...ORG_ROUTES,
  ...BILLING_ROUTES,
  deleteAccountRoute,
  createCompileRoute,
  listCompilesRoute,
  estimateFromQueryRoute,
  estimateFromBodyRoute,
  previewCompileRoute,
  startCompileRoute,
  streamCompileRoute,
  getCompileRoute,
  downloadCompileRoute,
  cancelCompileRoute,
  previewBuildRoute,
  listBuildsRoute,
  previewBuilderRoute,
  compileBuilderRoute,
  listTemplatesRoute,
  getStrategyRoute,
  postStrategyRoute,
  getStrategyCatalogRoute,
  listConceptsRoute,
  getConceptRoute,
  deleteConceptRoute,
  getLineageRoute,
  getStatsRoute,
  listArtifactsRoute,
  getArtifactRoute,
  downloadArtifactRoute,
  getEvidenceTraceRoute,
  findByCidRoute,
  verifyManifestRoute,
  planExportRoute,
  createExportRoute,
  listExportsRoute,
  getExportRoute,
  downloadExportRoute,
  fitRoute,
  verifyReceiptRoute,
  getRegistryRoute,
  exportRegistryRoute,
  ...SHARE_ROUTES,
  ...adminRoutes(() => ROUTES),
]
