import { applyGuardrails, lookNow, type Seen } from '../../../core/gateway/gate/guardrails/judge.ts'
import type { Looked } from '../../../core/gateway/gate/large/look-task.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { Placeholders } from '../../../core/gateway/gate/privacy/placeholders.ts'
import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { checkMedia } from '../../../core/gateway/protocol/media/check-media.ts'
import type { GateFacts } from '../../../core/gateway/record/gate-facts.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { ReplyHeaders } from '../../kernel/route.ts'
import type { OpenCall } from '../calls/open-call.ts'
import { rulesFor } from './guardrails.ts'
import { applyPrivacy } from './privacy.ts'

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
  checkMedia(call.body, services.limits)
  const settings = { ...(await services.namespaces.read(facts.tenantId, facts.namespace)), ...call.wishes }
  const forgotten = await services.namespaces.forgotten(facts.tenantId)
  const rules = rulesFor(call, settings)
  const mode = settings.guardrail_mode
  const looked = call.isLarge
    ? await services.largeLooks.look(facts.tenantId, call.body, { rules, detectsInjection: mode !== 'off' })
    : null
  const seen = looked === null ? lookNow(call.body, rules, mode) : seenOf(looked, call.body)
  const guarded = applyGuardrails(seen, settings)
  const shielded = await applyPrivacy({ ...call, body: guarded.body }, { settings, forgotten, looked })
  const { policy, classes, redacted } = shielded.facts
  const headers = {
    'x-svc-redaction-policy': policy,
    'x-svc-raw-available': String(shielded.facts.isRaw),
    ...(classes.length > 0 && { 'x-svc-sensitive-classes': classes.join(',') }),
    ...(guarded.facts.warnings.length > 0 && { 'x-svc-guardrail-warnings': guarded.facts.warnings.join(',') }),
    ...(guarded.facts.rewrites.length > 0 && { 'x-svc-guardrail-rewrites': guarded.facts.rewrites.join(',') }),
    ...(guarded.isFlagged && { 'x-svc-guardrail-flags': guarded.facts.injection.categories.join(',') }),
  }
  const gated: Omit<GatedCall, typeof PASSED> = {
    ...call,
    body: shielded.body,
    settings,
    placeholders: shielded.placeholders,
    terms: shielded.terms,
    kept: shielded.kept,
    gate: { ...shielded.facts, redacted, guardrail: guarded.facts },
    gateHeaders: headers,
  }
  return gated as GatedCall
}

function seenOf({ rewritten, verdict, finds: _finds, ...ruled }: Looked, body: JsonObject): Seen {
  return { verdict, ruled: { ...ruled, body: rewritten === null ? body : (JSON.parse(rewritten) as JsonObject) } }
}
