import type { JsonObject } from '../../../kernel/json/json.ts'
import { GATEWAY_ERRORS } from '../../errors.ts'
import type { GuardrailFacts } from '../../record/gate-facts.ts'
import type { NamespaceSettings } from '../namespaces/settings.ts'
import { applyRules, type RuledCall } from './apply-rules.ts'
import { detectInjection, INJECTION_DETECTOR, NO_VERDICT, type InjectionVerdict } from './injection.ts'
import type { GuardrailRule } from './rules.ts'

/** The result of applying guardrails to a call. */
export interface Guarded {
  readonly body: JsonObject
  readonly facts: GuardrailFacts
  /** True when the answer tells of a suspected injection. */
  readonly isFlagged: boolean
}

/** Findings in a body. */
export interface Seen {
  readonly ruled: RuledCall
  readonly verdict: InjectionVerdict
}

/** Looks at a body at once: one that is not large. */
export function lookNow(
  body: JsonObject,
  rules: readonly GuardrailRule[],
  mode: NamespaceSettings['guardrail_mode'],
): Seen {
  return { ruled: applyRules(body, rules), verdict: mode === 'off' ? NO_VERDICT : detectInjection(body) }
}

/** Judges by the rules and by the look for prompt injection. Throws `blocked_by_guardrail`. */
export function applyGuardrails({ ruled, verdict }: Seen, settings: NamespaceSettings): Guarded {
  if (ruled.blocked !== null) {
    const { rule, at } = ruled.blocked
    throw GATEWAY_ERRORS.blocked_by_guardrail(`the guardrail rule ${rule.name} refuses this call`, {
      details: { rule_name: rule.name, matched_at: at, hint: 'remove what the rule matches, or change the rule' },
    })
  }
  const mode = settings.guardrail_mode
  if (mode === 'block' && verdict.isAdversarial) {
    throw GATEWAY_ERRORS.blocked_by_guardrail(`this call looks like ${verdict.categories.join(', ')} (a heuristic)`, {
      details: {
        rule_name: 'prompt-injection',
        matched_at: null,
        hint: 'rephrase it, or set guardrail_mode of the namespace to flag',
        categories: verdict.categories,
        score: verdict.score,
        detector: INJECTION_DETECTOR,
      },
    })
  }
  return {
    body: ruled.body,
    isFlagged: mode === 'flag' && verdict.isAdversarial,
    facts: {
      warnings: ruled.warnings,
      rewrites: ruled.rewrites,
      injection: { isScreened: mode !== 'off', ...verdict, detector: INJECTION_DETECTOR },
    },
  }
}
