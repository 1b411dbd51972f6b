import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { GateRules } from '../../../core/gateway/gate/gate-body.ts'
import {
  isLaxer,
  OVERRIDE_HEADER,
  POLICY_HEADER,
  RAW_HEADER,
  readAskedPolicy,
} from '../../../core/gateway/gate/privacy/policy.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { grantsScope } from '../../../core/kernel/scopes.ts'
import { headerText, type OpenCall } from '../calls/open-call.ts'

/**
 * Returns the policy of a call. The header may ask for a stricter one than the namespace has, and with the scope
 * `privacy:write` for a laxer one. Throws `insufficient_scope`.
 */
export function policyOf(call: OpenCall, settings: NamespaceSettings): Pick<GateRules, 'policy' | 'isRaw'> {
  const asked = readAskedPolicy((name) => headerText(call.request, name))
  const { privacy_policy: own, redact_mode: mode } = settings
  const mayLoosen = grantsScope(call.principal.scopes ?? [], 'privacy:write')
  const wanted = asked.policy ?? own
  if (isLaxer(wanted, own) && !mayLoosen)
    throw mustNot(POLICY_HEADER, `the policy of this namespace is ${own}, which is stricter`)
  if (asked.overrides && !mayLoosen) throw mustNot(OVERRIDE_HEADER, 'a refused call is sent only')
  if (asked.raw && !mayLoosen) throw mustNot(RAW_HEADER, 'texts are kept as they are only')
  const policy = wanted === 'block' && asked.overrides ? 'redact' : wanted
  return { policy, isRaw: policy === 'allow' && (mode === 'detect_only' || asked.raw) }
}

function mustNot(header: string, why: string) {
  return KERNEL_ERRORS.insufficient_scope(`${header}: ${why} with the scope privacy:write`, {
    details: { required: 'privacy:write', fields: [{ field: header, message: 'needs the scope privacy:write' }] },
  })
}
