import type { Route } from '../services.ts'
import { getBreakdownRoute } from './breakdown.ts'
import { listMetersRoute } from './meters.ts'
import { getUsageRoute } from './usage.ts'

/** What is measured of use, and how much there was. */
export const USAGE_ROUTES: readonly Route[] = [listMetersRoute, getUsageRoute, getBreakdownRoute]
