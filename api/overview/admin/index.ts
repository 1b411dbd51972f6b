import type { Route } from '../services.ts'
import { listAllAuditRoute, listAllJobsRoute } from './activity.ts'
import { joinWaitlistRoute, listSubmissionsRoute, listWaitlistRoute, submitNoteRoute } from './contacts.ts'
import { controlFileRoutes } from './control-files.ts'
import { getAdminHealthRoute, getDiagnosticsRoute } from './diagnostics.ts'
import { getStatsOverviewRoute } from './stats.ts'
import { createTenantRoute, listTenantsRoute } from './tenants.ts'

/** What those who run the service see and do, and the two forms by which anybody reaches them. */
export function adminRoutes(routes: () => readonly Route[]): readonly Route[] {
  return [
    listTenantsRoute,
    createTenantRoute,
    getStatsOverviewRoute,
    listAllAuditRoute,
    listAllJobsRoute,
    getAdminHealthRoute,
    getDiagnosticsRoute,
    ...controlFileRoutes(routes),
    listSubmissionsRoute,
    listWaitlistRoute,
    joinWaitlistRoute,
    submitNoteRoute,
  ]
}
