import { readFallbacks, targetIn, targetOf, type Target } from '../../../core/gateway/calls/target.ts'
import { arrange, type Overlay } from '../../../core/gateway/routing/overlay.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { GatedCall } from '../gate/pass-gate.ts'
import { headerText } from './open-call.ts'

/** The models that a call asks, and its deadlines. */
export interface CallPlan {
  /** In the order in which they are asked; the first is the caller's. */
  readonly targets: readonly Target[]
  /** The tenant's settings of their providers. */
  readonly overlay: Overlay
  /** To the start of an answer, milliseconds. */
  readonly timeoutMs: number
}

const FALLBACKS = 'x-svc-route-chain'
const TIMEOUT = 'x-svc-timeout-ms'

/**
 * Reads the plan of a call from its headers, its namespace's fallbacks and the tenant's settings of providers. An
 * installation that asks one server of its own asks that alone. Throws `validation_failed`, `unknown_model` and
 * `provider_disabled`.
 */
export async function readPlan({
  services,
  request,
  target,
  facts,
  settings: namespace,
}: GatedCall): Promise<CallPlan> {
  const { limits, settings, overlays } = services
  const mostMs = limits.gateway_timeout_s * 1000
  const timeoutMs = timeoutOf(headerText(request, TIMEOUT), mostMs)
  const named = readFallbacks(headerText(request, FALLBACKS), FALLBACKS)
  const overlay = await overlays.read(facts.tenantId)
  const { gatewayMode: mode } = settings
  const usual = namespace.route_chain.map((entry) => targetOf(entry, 'route_chain'))
  const first = targetIn(mode, target)
  const targets = arrange(overlay, { first, ...(mode === 'cloud' ? { named, usual } : { named: [], usual: [] }) })
  return { targets, overlay, timeoutMs }
}

function timeoutOf(given: string | undefined, mostMs: number): number {
  if (given === undefined) return mostMs
  const timeoutMs = Number(given)
  if (!/^\d{1,15}$/.test(given) || timeoutMs < 1000 || timeoutMs > mostMs) {
    throw invalidField(TIMEOUT, `must be milliseconds from 1000 to ${mostMs}`)
  }
  return timeoutMs
}
