import { ACCOUNTS_ACTIONS } from './accounts/actions.ts'
import { BILLING_ACTIONS } from './billing/actions.ts'
import { COMPILE_ACTIONS } from './compile/actions.ts'
import { GATEWAY_ACTIONS } from './gateway/actions.ts'
import { LEARN_ACTIONS } from './learn/actions.ts'
import { LEDGER_ACTIONS } from './ledger/actions.ts'
import { OVERVIEW_ACTIONS } from './overview/actions.ts'
import { mergeAreas } from './merge-areas.ts'

/** The audit actions of each area, lowest first. */
export const ACTIONS_BY_AREA = {
  ledger: LEDGER_ACTIONS,
  accounts: ACCOUNTS_ACTIONS,
  billing: BILLING_ACTIONS,
  gateway: GATEWAY_ACTIONS,
  compile: COMPILE_ACTIONS,
  learn: LEARN_ACTIONS,
  overview: OVERVIEW_ACTIONS,
} as const

const ACTIONS = mergeAreas(ACTIONS_BY_AREA)

/** An audit action of any area, `resource.verb`. */
export type AuditAction = keyof typeof ACTIONS

/** Returns an audit action in words, as in "revoked a key"; the action itself where this version does not know it. */
export function actionInWords(action: string): string {
  const words: Readonly<Record<string, string>> = ACTIONS
  return (Object.hasOwn(words, action) && words[action]) || action
}
