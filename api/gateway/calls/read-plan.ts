import { readFallbacks, type Target } from '../../../core/gateway/calls/target.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { headerText, type OpenCall } from './open-call.ts'

/** Whom a call asks, and how long it waits. */
export interface CallPlan {
  /** In the order in which they are asked; the first is the caller's. */
  readonly targets: readonly Target[]
  /** To the start of an answer, milliseconds. */
  readonly timeoutMs: number
}

const FALLBACKS = 'x-svc-route-chain'
const TIMEOUT = 'x-svc-timeout-ms'

/** Reads the plan of a call from its headers. Throws `validation_failed` and `unknown_model`. */
export function readPlan({ services, request, target }: OpenCall): CallPlan {
  const fallbacks = readFallbacks(headerText(request, FALLBACKS), FALLBACKS)
  const mostMs = services.limits.gateway_timeout_s * 1000
  return { targets: [target, ...fallbacks], timeoutMs: timeoutOf(headerText(request, TIMEOUT), mostMs) }
}

function timeoutOf(given: string | undefined, mostMs: number): number {
  if (given === undefined) return mostMs
  const timeoutMs = Number(given)
  if (!/^\d{4,6}$/.test(given) || timeoutMs < 1000 || timeoutMs > mostMs) {
    throw invalidField(TIMEOUT, `must be milliseconds from 1000 to ${mostMs}`)
  }
  return timeoutMs
}
