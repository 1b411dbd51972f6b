import { getCcShapeRoute, listCcKindsRoute, verifyCcReportRoute } from './cc/reports.ts'
import type { Route } from './services.ts'

/** The routes of evidence about machines and runs. */
export const EVIDENCE_ROUTES: readonly Route[] = [listCcKindsRoute, getCcShapeRoute, verifyCcReportRoute]
