import type { Route } from '../services.ts'
import { listAllAuditRoute, listAllJobsRoute } from './activity.ts'
import { joinWaitlistRoute, listSubmissionsRoute, listWaitlistRoute, submitNoteRoute } from './contacts.ts'
import { controlFileRoutes } from './control-files.ts'
import { getAdminHealthRoute, getDiagnosticsRoute } from './diagnostics.ts'
import { getStatsOverviewRoute } from './stats.ts'
import { createTenantRoute, listTenantsRoute } from './tenants.ts'

/** The routes of administrators, and the two public forms that write to them. */
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
