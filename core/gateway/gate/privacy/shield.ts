import type { GateFacts } from '../../record/gate-facts.ts'
import { GATEWAY_ERRORS } from '../../errors.ts'
import { fieldPath } from '../../../kernel/json/field-path.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { NamespaceSettings } from '../namespaces/settings.ts'
import type { PrivacyPolicy, SensitiveClass } from './classes.ts'
import { createPlaceholders, type GivenPlaceholder, type Placeholders } from './placeholders.ts'
import { actionsOf, redactBody, reserveWritten, type RedactedBody } from './redact-body.ts'
import type { TermFinder } from './scan/scan-text.ts'
import { compileTerms } from './scan/terms.ts'

/** A call after its privacy policy. */
export interface Shielded {
  /** The body that providers get. */
  readonly body: JsonObject
  readonly kept: JsonObject
  readonly placeholders: Placeholders
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
  /** See `GateRules.known`. */
  readonly known?: readonly GivenPlaceholder[] | undefined
  /** See `GateRules.tag`. */
  readonly tag?: string | undefined
}

/** Redacts a body as its policy says. Throws `privacy_blocked`. */
export function shieldBody(body: JsonObject, shield: Shield): Shielded {
  const { namespace, settings, forgotten, policy, isRaw, known = [], tag } = shield
  const terms = termsOf(settings, forgotten)
  const placeholders = createPlaceholders([], tag)
  for (const one of known) placeholders.adopt(one)
  const redact = (keeps: (kind: SensitiveClass) => boolean, isStored: boolean): RedactedBody =>
    redactBody(body, placeholders, { terms, keeps, isStored })
  reserveWritten(body, placeholders)
  const actionOf = actionsOf(policy, settings.class_actions)
  const sent = redact((kind) => actionOf(kind) === 'allow', false)
  const blocked = sent.classes.filter((kind) => actionOf(kind) === 'block')
  if (blocked.length > 0) {
    throw GATEWAY_ERRORS.privacy_blocked(
      `the call holds ${blocked.join(', ')}, which the namespace ${namespace} does not send; nothing was sent`,
      { details: { classes: blocked, policy } },
    )
  }
  if (sent.unreplaced.size > 0) {
    const places = placesOf(body, sent.unreplaced)
    throw GATEWAY_ERRORS.privacy_blocked(
      `${places.join(', ')}: the name of a tool, or a number that a schema fixes, holds sensitive text, and a placeholder cannot stand for it; give the tool another name, write the number as a text, or allow its class. Nothing was sent`,
      { details: { classes: sent.classes, policy, places } },
    )
  }
  const isSentRaw = sent.classes.some((kind) => actionOf(kind) === 'allow')
  // What is sent as it is may still have to be stored redacted; equal values get the same placeholders.
  const kept = isSentRaw && !isRaw ? redact(() => false, true).body : sent.body
  return {
    body: sent.body,
    kept,
    placeholders,
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

/** Paths of the members `name` of a body that are one of the names, and of the numbers that are one of them. */
function placesOf(body: JsonObject, sought: ReadonlySet<string | number>): readonly string[] {
  const places: string[] = []
  const isPlace = (value: Json, path: readonly (string | number)[]): boolean =>
    typeof value === 'number'
      ? sought.has(value)
      : typeof value === 'string' && path.at(-1) === 'name' && sought.has(value)
  const look = (value: Json, path: readonly (string | number)[]): void => {
    if (places.length === MOST_PLACES) return
    if (Array.isArray(value)) for (const [i, entry] of (value as readonly Json[]).entries()) look(entry, [...path, i])
    else if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) look(member, [...path, name])
    else if (isPlace(value, path)) places.push(fieldPath(path, 'body'))
  }
  look(body, [])
  return places
}

const compiled = new WeakMap<readonly string[], TermFinder>()

/** The terms of a namespace, compiled once for each version of its settings, with what the tenant has forgotten. */
export function termsOf(
  { proprietary_terms: terms }: Pick<NamespaceSettings, 'proprietary_terms'>,
  forgotten: TermFinder | null,
): TermFinder | null {
  if (terms.length === 0) return forgotten
  const known = compiled.get(terms)
  const own = known ?? compileTerms([{ kind: 'proprietary_term', terms }])
  if (known === undefined) compiled.set(terms, own)
  return {
    find(text, add) {
      own.find(text, add)
      forgotten?.find(text, add)
    },
  }
}
