import type { GateFacts } from '../../record/gate-facts.ts'
import { GATEWAY_ERRORS } from '../../errors.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { scanOf } from '../large/large-looks.ts'
import type { Looked } from '../large/look-task.ts'
import type { NamespaceSettings } from '../namespaces/settings.ts'
import type { PrivacyPolicy, SensitiveClass } from './classes.ts'
import { createPlaceholders, type Placeholders } from './placeholders.ts'
import {
  actionsOf,
  redactBody,
  redactLargeBody,
  reserveLargeWritten,
  reserveWritten,
  type RedactedBody,
} from './redact-body.ts'
import type { TermFinder } from './scan/scan-text.ts'
import { compileTerms } from './scan/terms.ts'

/** A call after its privacy policy. */
export interface Shielded {
  /** The body that providers get. */
  readonly body: JsonObject
  readonly kept: JsonObject
  readonly placeholders: Placeholders
  readonly terms: TermFinder | null
  readonly facts: Omit<GateFacts, 'guardrail'>
}

/** Rules that redact a body. */
export interface Shield {
  readonly namespace: string
  readonly settings: NamespaceSettings
  readonly forgotten: TermFinder | null
  /** The policy of the call, which may differ from the namespace's. */
  readonly policy: PrivacyPolicy
  /** True when the record holds the texts as they were. */
  readonly isRaw: boolean
  /** Findings in a large body; null for any other. */
  readonly looked: Looked | null
}

/** Redacts a body as its policy says. Throws `privacy_blocked`. */
export async function shieldBody(
  body: JsonObject,
  { namespace, settings, forgotten, policy, isRaw, looked }: Shield,
): Promise<Shielded> {
  const terms = termsOf(settings, forgotten)
  const placeholders = createPlaceholders()
  const redact = async (keeps: (kind: SensitiveClass) => boolean): Promise<RedactedBody> =>
    looked === null
      ? redactBody(body, placeholders, { terms, keeps })
      : await redactLargeBody(body, placeholders, { scan: scanOf(looked, terms), keeps })
  if (looked === null) reserveWritten(body, placeholders)
  else await reserveLargeWritten(body, placeholders)
  const actionOf = actionsOf(policy, settings.class_actions)
  const sent = await redact((kind) => actionOf(kind) === 'allow')
  const blocked = sent.classes.filter((kind) => actionOf(kind) === 'block')
  if (blocked.length > 0) {
    throw GATEWAY_ERRORS.privacy_blocked(
      `the call holds ${blocked.join(', ')}, which the namespace ${namespace} does not send; nothing was sent`,
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
