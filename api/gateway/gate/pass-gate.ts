import { gateBody, type GateRules } from '../../../core/gateway/gate/gate-body.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { Placeholders } from '../../../core/gateway/gate/privacy/placeholders.ts'
import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { termsOf } from '../../../core/gateway/gate/privacy/shield.ts'
import type { GateFacts } from '../../../core/gateway/record/gate-facts.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { OpenCall } from '../calls/open-call.ts'
import { rulesFor } from './guardrails.ts'
import { policyOf } from './privacy.ts'

declare const PASSED: unique symbol

/**
 * A call that the gate let pass: the only kind that can be sent, and `passGate` the only function that makes one. Its
 * `body` is what providers get.
 */
export interface GatedCall extends OpenCall {
  readonly [PASSED]: true
  readonly settings: NamespaceSettings
  readonly placeholders: Placeholders
  /** The tenant's own terms and what it has forgotten; null for none. */
  readonly terms: TermFinder | null
  /** The body for the call's record: redacted also where the policy sends it as it is. */
  readonly kept: JsonObject
  readonly gate: GateFacts
  /** Headers that tell of the gate, for every answer. */
  readonly gateHeaders: ReplyHeaders
}

/**
 * Lets a call pass, or throws what refuses it: `blocked_by_guardrail`, `privacy_blocked`, `insufficient_scope` for a
 * policy that is laxer than the namespace's, `validation_failed` for headers that are none and for files that are no base64 or
 * hold too many pixels. Nothing was sent by then.
 */
export async function passGate(call: OpenCall): Promise<GatedCall> {
  const { services, facts } = call
  const settings = { ...(await services.namespaces.read(facts.tenantId, facts.namespace)), ...call.wishes }
  const forgotten = await services.namespaces.forgotten(facts.tenantId)
  const rules: GateRules = {
    namespace: facts.namespace,
    settings,
    guardrails: rulesFor(call, settings),
    ...policyOf(call, settings),
    mostPixels: services.limits.gateway_image_pixels,
    ...(call.continued && { known: call.continued.placeholders }),
    ...(call.continued?.tag !== undefined && { tag: call.continued.tag }),
    hidesIds: call.dialect.name === 'responses',
  }
  const passed = call.isLarge
    ? await services.largeGate.pass(facts.tenantId, call.body, rules, forgotten)
    : gateBody(call.body, rules, forgotten)
  const { policy, classes, isRaw, guardrail } = passed.facts
  const headers = {
    'x-svc-redaction-policy': policy,
    'x-svc-raw-available': String(isRaw),
    ...(classes.length > 0 && { 'x-svc-sensitive-classes': classes.join(',') }),
    ...(guardrail.warnings.length > 0 && { 'x-svc-guardrail-warnings': guardrail.warnings.join(',') }),
    ...(guardrail.rewrites.length > 0 && { 'x-svc-guardrail-rewrites': guardrail.rewrites.join(',') }),
    ...(passed.isFlagged && { 'x-svc-guardrail-flags': guardrail.injection.categories.join(',') }),
  }
  const gated: Omit<GatedCall, typeof PASSED> = {
    ...call,
    body: passed.body,
    settings,
    placeholders: passed.placeholders,
    terms: termsOf(settings, forgotten),
    kept: passed.kept,
    gate: passed.facts,
    gateHeaders: headers,
  }
  return gated as GatedCall
}
