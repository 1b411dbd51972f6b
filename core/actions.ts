import { ACCOUNTS_ACTIONS } from './accounts/actions.ts'
import { BILLING_ACTIONS } from './billing/actions.ts'
import { COMPILE_ACTIONS } from './compile/actions.ts'
import { GATEWAY_ACTIONS } from './gateway/actions.ts'
import { LEDGER_ACTIONS } from './ledger/actions.ts'
import { OVERVIEW_ACTIONS } from './overview/actions.ts'

/** The audit actions of each area, lowest first. */
export const ACTIONS_BY_AREA = {
  ledger: LEDGER_ACTIONS,
  accounts: ACCOUNTS_ACTIONS,
  billing: BILLING_ACTIONS,
  gateway: GATEWAY_ACTIONS,
  compile: COMPILE_ACTIONS,
  overview: OVERVIEW_ACTIONS,
} as const

/** An audit action of any area, `resource.verb`. */
export type AuditAction = (typeof ACTIONS_BY_AREA)[keyof typeof ACTIONS_BY_AREA][number]
