import type { Route } from '../services.ts'
import { getBreakdownRoute } from './breakdown.ts'
import { listMetersRoute } from './meters.ts'
import { getUsageRoute } from './usage.ts'

/** The routes of meters and usage. */
export const USAGE_ROUTES: readonly Route[] = [listMetersRoute, getUsageRoute, getBreakdownRoute]
