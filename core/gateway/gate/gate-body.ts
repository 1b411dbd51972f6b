import type { JsonObject } from '../../kernel/json/json.ts'
import { checkMedia } from '../protocol/media/check-media.ts'
import type { GateFacts } from '../record/gate-facts.ts'
import { hideIds } from '../record/hide-ids.ts'
import { applyGuardrails, lookNow } from './guardrails/judge.ts'
import type { GuardrailRule } from './guardrails/rules.ts'
import type { NamespaceSettings } from './namespaces/settings.ts'
import type { ForgetFinder } from './privacy/forget-list.ts'
import type { PrivacyPolicy } from './privacy/classes.ts'
import type { GivenPlaceholder, Placeholders } from './privacy/placeholders.ts'
import { shieldBody } from './privacy/shield.ts'

/** Rules by which a body passes the gate, all of them plain data. */
export interface GateRules {
  readonly namespace: string
  readonly settings: NamespaceSettings
  readonly guardrails: readonly GuardrailRule[]
  /** The policy of the call, which may differ from the namespace's. */
  readonly policy: PrivacyPolicy
  /** True when the record holds the texts as they were. */
  readonly isRaw: boolean
  /** Pixels that an image may have. */
  readonly mostPixels: number
  /** Placeholders that the model got in an earlier call which this one continues; none when absent. */
  readonly known?: readonly GivenPlaceholder[]
  /** A part of the names of all placeholders that the call gives; none when absent. */
  readonly tag?: string
  /** True for a body of responses: its record has digests of the ids that it names. */
  readonly hidesIds?: boolean
}

/** A body that has passed the gate. */
export interface GatedBody {
  /** The body that providers get. */
  readonly body: JsonObject
  /** The body for the call's record: redacted also where the policy sends it as it is. */
  readonly kept: JsonObject
  readonly placeholders: Placeholders
  readonly facts: GateFacts
  /** True when the answer tells of a suspected injection. */
  readonly isFlagged: boolean
}

/**
 * Checks the files of a body, applies guardrails, and redacts it as the policy says. Throws `validation_failed`,
 * `blocked_by_guardrail` and `privacy_blocked`.
 */
export function gateBody(body: JsonObject, rules: GateRules, forgotten: ForgetFinder | null): GatedBody {
  const { namespace, settings, guardrails, policy, isRaw, mostPixels, known, tag, hidesIds = false } = rules
  checkMedia(body, { gateway_image_pixels: mostPixels })
  const guarded = applyGuardrails(lookNow(body, guardrails, settings.guardrail_mode), settings)
  const shielded = shieldBody(guarded.body, { namespace, settings, forgotten, policy, isRaw, known, tag })
  return {
    body: shielded.body,
    kept: hidesIds ? hideIds(shielded.kept) : shielded.kept,
    placeholders: shielded.placeholders,
    facts: { ...shielded.facts, guardrail: guarded.facts },
    isFlagged: guarded.isFlagged,
  }
}
