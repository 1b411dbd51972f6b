import { GuardrailRules, type GuardrailRule } from '../../../core/gateway/gate/guardrails/rules.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { validateValue } from '../../kernel/request/validate.ts'
import { headerText, type OpenCall } from '../calls/open-call.ts'

const HEADER = 'x-svc-guardrails'
const MOST_HEADER_CHARS = 8192

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
