import { GATEWAY_ERRORS } from '../../../core/gateway/errors.ts'
import type { NamespaceSettings } from '../../../core/gateway/gate/namespaces/settings.ts'
import { scanOf } from '../../../core/gateway/gate/large/large-looks.ts'
import type { Looked } from '../../../core/gateway/gate/large/look-task.ts'
import type { PrivacyPolicy, SensitiveClass } from '../../../core/gateway/gate/privacy/classes.ts'
import { createPlaceholders, type Placeholders } from '../../../core/gateway/gate/privacy/placeholders.ts'
import {
  isLaxer,
  OVERRIDE_HEADER,
  POLICY_HEADER,
  RAW_HEADER,
  readAskedPolicy,
} from '../../../core/gateway/gate/privacy/policy.ts'
import {
  actionsOf,
  redactBody,
  redactLargeBody,
  reserveLargeWritten,
  reserveWritten,
  type RedactedBody,
} from '../../../core/gateway/gate/privacy/redact-body.ts'
import type { TermFinder } from '../../../core/gateway/gate/privacy/scan/scan-text.ts'
import { compileTerms } from '../../../core/gateway/gate/privacy/scan/terms.ts'
import type { GateFacts } from '../../../core/gateway/record/gate-facts.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { grantsScope } from '../../../core/kernel/scopes.ts'
import { headerText, type OpenCall } from '../calls/open-call.ts'

/** A call after its privacy policy. */
interface Shielded {
  /** What providers get. */
  readonly body: JsonObject
  readonly kept: JsonObject
  readonly placeholders: Placeholders
  readonly terms: TermFinder | null
  readonly facts: Omit<GateFacts, 'guardrail'>
}

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
    /** What was seen of a large body; null of another. */
    readonly looked: Looked | null
  },
): Promise<Shielded> {
  const { policy, isRaw } = policyOf(call, settings)
  const terms = termsOf(settings, forgotten)
  const placeholders = createPlaceholders()
  const redact = async (keeps: (kind: SensitiveClass) => boolean): Promise<RedactedBody> =>
    looked === null
      ? redactBody(call.body, placeholders, { terms, keeps })
      : await redactLargeBody(call.body, placeholders, { scan: scanOf(looked, terms), keeps })
  if (looked === null) reserveWritten(call.body, placeholders)
  else await reserveLargeWritten(call.body, placeholders)
  const actionOf = actionsOf(policy, settings.class_actions)
  const sent = await redact((kind) => actionOf(kind) === 'allow')
  const blocked = sent.classes.filter((kind) => actionOf(kind) === 'block')
  if (blocked.length > 0) {
    throw GATEWAY_ERRORS.privacy_blocked(
      `the call holds ${blocked.join(', ')}, which the namespace ${call.facts.namespace} does not send; nothing was sent`,
      { details: { classes: blocked, policy } },
    )
  }
  const isSentRaw = sent.classes.some((kind) => actionOf(kind) === 'allow')
  // What is sent as it is may still have to be stored redacted; equal values get the same placeholders.
  const kept = isSentRaw && !isRaw ? (await redact(() => false)).body : sent.body
  return {
    body: sent.body,
    kept,
    placeholders,
    terms,
    facts: {
      policy,
      classes: sent.classes,
      redacted: sent.classes.filter((kind) => actionOf(kind) !== 'allow'),
      isReviewRequired: policy === 'review_required',
      isRaw,
    },
  }
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

const compiled = new WeakMap<NamespaceSettings, TermFinder>()

/** The terms of a namespace, compiled once for each version of its settings, with what the tenant has forgotten. */
function termsOf(settings: NamespaceSettings, forgotten: TermFinder | null): TermFinder | null {
  const { proprietary_terms: terms } = settings
  if (terms.length === 0) return forgotten
  const known = compiled.get(settings)
  const own = known ?? compileTerms([{ kind: 'proprietary_term', terms }])
  if (known === undefined) compiled.set(settings, own)
  return {
    find(text, add) {
      own.find(text, add)
      forgotten?.find(text, add)
    },
  }
}
