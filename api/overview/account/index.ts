import type { Route } from '../services.ts'
import { getAccountRoute } from './account.ts'
import { getCompliancePackageRoute } from './compliance-package.ts'
import { compilerOverviewRoute } from './compiler-overview.ts'
import { deleteAccountRoute } from './deletion.ts'
import { exportAccountRoute } from './export.ts'
import { listNextActionsRoute, snoozeNextActionRoute } from './next-actions.ts'
import { getAccountStateRoute } from './state.ts'

/** Returns the routes of the tenant's own account. `routes` are all routes of the service, for the overview. */
export function accountRoutes(routes: () => readonly Route[]): readonly Route[] {
  return [
    getAccountRoute,
    getAccountStateRoute,
    listNextActionsRoute,
    snoozeNextActionRoute,
    compilerOverviewRoute(routes),
    exportAccountRoute,
    getCompliancePackageRoute,
    deleteAccountRoute,
  ]
}
