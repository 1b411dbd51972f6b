import { applyRules, type RuledCall } from '../../../core/gateway/gate/guardrails/apply-rules.ts'
import {
  detectInjection,
  INJECTION_DETECTOR,
  NO_VERDICT,
  type InjectionVerdict,
} from '../../../core/gateway/gate/guardrails/injection.ts'
import { GuardrailRules, type GuardrailRule } from '../../../core/gateway/gate/guardrails/rules.ts'
import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { GuardrailFacts } from '../../../core/gateway/record/gate-facts.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Json, JsonObject } from '../../../core/kernel/json/json.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import { headerText, type OpenCall } from '../calls/open-call.ts'

const HEADER = 'x-svc-guardrails'
const MOST_HEADER_CHARS = 8192

/** What guardrails make of a call. */
interface Guarded {
  readonly body: JsonObject
  readonly facts: GuardrailFacts
  /** True when the answer tells of a suspected injection. */
  readonly isFlagged: boolean
}

/** What was seen of a body. */
export interface Seen {
  readonly ruled: RuledCall
  readonly verdict: InjectionVerdict
}

/** Looks at a body at once: one that is not large. */
export function lookNow(
  { body }: Pick<OpenCall, 'body'>,
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

/** Returns the rules of the namespace, then those of the header. Throws `validation_failed` for a header that holds none. */
export function rulesFor(call: OpenCall, settings: NamespaceSettings): readonly GuardrailRule[] {
  return [...settings.guardrails, ...rulesOf(call)]
}

function rulesOf({ request }: OpenCall): readonly GuardrailRule[] {
  const header = headerText(request, HEADER)
  if (header === undefined) return []
  if (header.length >= MOST_HEADER_CHARS)
    throw invalidField(HEADER, `must be shorter than ${MOST_HEADER_CHARS} characters`)
  let given: Json
  try {
    given = JSON.parse(header)
  } catch {
    throw invalidField(HEADER, 'must be a list of rules as JSON')
  }
  return validateValue(GuardrailRules, given, HEADER)
}
