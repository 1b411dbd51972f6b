import type { GateFacts } from '../../record/gate-facts.ts'
import { GATEWAY_ERRORS } from '../../errors.ts'
import { fieldPath } from '../../../kernel/json/field-path.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
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
  const redact = async (keeps: (kind: SensitiveClass) => boolean, isStored: boolean): Promise<RedactedBody> =>
    looked === null
      ? redactBody(body, placeholders, { terms, keeps, isStored })
      : await redactLargeBody(body, placeholders, { scan: scanOf(looked, terms), keeps, isStored })
  if (looked === null) reserveWritten(body, placeholders)
  else await reserveLargeWritten(body, placeholders)
  const actionOf = actionsOf(policy, settings.class_actions)
  const sent = await redact((kind) => actionOf(kind) === 'allow', false)
  const blocked = sent.classes.filter((kind) => actionOf(kind) === 'block')
  if (blocked.length > 0) {
    throw GATEWAY_ERRORS.privacy_blocked(
      `the call holds ${blocked.join(', ')}, which the namespace ${namespace} does not send; nothing was sent`,
      { details: { classes: blocked, policy } },
    )
  }
  if (sent.names.length > 0) {
    const places = placesOf(body, new Set(sent.names))
    throw GATEWAY_ERRORS.privacy_blocked(
      `${places.join(', ')}: the name of a tool holds sensitive text, and a placeholder cannot stand for it; give the tool another name. Nothing was sent`,
      { details: { classes: sent.classes, policy, places } },
    )
  }
  const isSentRaw = sent.classes.some((kind) => actionOf(kind) === 'allow')
  // What is sent as it is may still have to be stored redacted; equal values get the same placeholders.
  const kept = isSentRaw && !isRaw ? (await redact(() => false, true)).body : sent.body
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

const MOST_PLACES = 10

/** Paths of the members `name` of a body that are one of the names. */
function placesOf(body: JsonObject, names: ReadonlySet<string>): readonly string[] {
  const places: string[] = []
  const look = (value: Json, path: readonly (string | number)[]): void => {
    if (places.length === MOST_PLACES) return
    if (Array.isArray(value)) for (const [i, entry] of (value as readonly Json[]).entries()) look(entry, [...path, i])
    else if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) look(member, [...path, name])
    else if (typeof value === 'string' && path.at(-1) === 'name' && names.has(value))
      places.push(fieldPath(path, 'body'))
  }
  look(body, [])
  return places
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
