import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import type { Looked } from '../../../core/gateway/gate/large/look-task.ts'
import type { PrivacyPolicy } from '../../../core/gateway/gate/privacy/classes.ts'
import {
  isLaxer,
  OVERRIDE_HEADER,
  POLICY_HEADER,
  RAW_HEADER,
  readAskedPolicy,
} from '../../../core/gateway/gate/privacy/policy.ts'
import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { shieldBody, type Shielded } from '../../../core/gateway/gate/privacy/shield.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { grantsScope } from '../../../core/kernel/scopes.ts'
import { headerText, type OpenCall } from '../calls/open-call.ts'

/**
 * Redacts a call as its policy says. The header may ask for a stricter policy than the namespace has, and with the scope
 * `privacy:write` for a laxer one. Throws `privacy_blocked` and `insufficient_scope`.
 */
export async function applyPrivacy(
  call: OpenCall,
  {
    settings,
    forgotten,
    looked,
  }: {
    readonly settings: NamespaceSettings
    readonly forgotten: TermFinder | null
    /** Findings in a large body; null for any other. */
    readonly looked: Looked | null
  },
): Promise<Shielded> {
  const { policy, isRaw } = policyOf(call, settings)
  return await shieldBody(call.body, {
    namespace: call.facts.namespace,
    settings,
    forgotten,
    policy,
    isRaw,
    looked,
  })
}

function policyOf(
  call: OpenCall,
  settings: NamespaceSettings,
): { readonly policy: PrivacyPolicy; readonly isRaw: boolean } {
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
