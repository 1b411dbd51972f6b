import { ACCOUNTS_ERRORS } from './accounts/errors.ts'
import { BILLING_ERRORS } from './billing/errors.ts'
import { COMPILE_ERRORS } from './compile/errors.ts'
import { GATEWAY_ERRORS } from './gateway/errors.ts'
import { KERNEL_ERRORS } from './kernel/errors.ts'
import { LEARN_ERRORS } from './learn/errors.ts'
import { mergeAreas } from './merge-areas.ts'
import { LEDGER_ERRORS } from './ledger/errors.ts'
import { MODEL_ERRORS } from './model/errors.ts'
import { OVERVIEW_ERRORS } from './overview/errors.ts'

/** The codes of each area, lowest first. */
export const ERRORS_BY_AREA = {
  kernel: KERNEL_ERRORS,
  model: MODEL_ERRORS,
  ledger: LEDGER_ERRORS,
  accounts: ACCOUNTS_ERRORS,
  billing: BILLING_ERRORS,
  gateway: GATEWAY_ERRORS,
  compile: COMPILE_ERRORS,
  learn: LEARN_ERRORS,
  overview: OVERVIEW_ERRORS,
} as const

/** Every machine code that the service answers with. */
export const ERROR_CODES = mergeAreas(ERRORS_BY_AREA)

/** A machine code of the service. */
export type ErrorCode = keyof typeof ERROR_CODES

/** True for a text that is a machine code of the service. */
export function isErrorCode(text: unknown): text is ErrorCode {
  return typeof text === 'string' && Object.hasOwn(ERROR_CODES, text)
}
