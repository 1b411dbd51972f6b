import type { Route } from './services.ts'
import { USAGE_ROUTES } from './usage/index.ts'
import { getBillingRoute, openPortalRoute, updateBillingRoute } from './account-billing.ts'
import { cancelPlanRoute, changePlanRoute, createCheckoutRoute } from './checkout.ts'
import { grantPlanRoute } from './grant.ts'
import { listInvoicesRoute } from './invoices.ts'
import { getBillingReadyRoute, listPlansRoute, listTiersRoute } from './plans.ts'
import { refundRoute } from './refund.ts'
import { retryPaymentEventsRoute } from './retry-events.ts'
import { receivePaymentEventRoute } from './webhook.ts'

/** Usage, plans, payments, invoices and refunds. */
export const BILLING_ROUTES: readonly Route[] = [
  ...USAGE_ROUTES,
  listPlansRoute,
  listTiersRoute,
  getBillingReadyRoute,
  createCheckoutRoute,
  changePlanRoute,
  cancelPlanRoute,
  getBillingRoute,
  updateBillingRoute,
  openPortalRoute,
  listInvoicesRoute,
  refundRoute,
  grantPlanRoute,
  retryPaymentEventsRoute,
  receivePaymentEventRoute,
]
