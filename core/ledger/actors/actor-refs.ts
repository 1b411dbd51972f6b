import type { Json } from '../../kernel/json/json.ts'

/** Kinds of actors in the audit log. */
export const ACTOR_KINDS = [
  'person',
  'key',
  'operator',
  'identity_provider',
  'payment_processor',
  'service',
  'anonymous',
] as const
/** The kind of an actor. */
export type ActorKind = (typeof ACTOR_KINDS)[number]

/** Means by which actors act: a browser session, an API key, a proof of identity at sign-in, or the service itself. */
export const ACTOR_MEANS = ['browser', 'api', 'mail', 'oauth', 'saml', 'oidc', 'invitation', 'job', 'schedule'] as const
/** The means of an actor. */
export type ActorMeans = (typeof ACTOR_MEANS)[number]

/** The columns of an audit line that say who acted. */
export interface AuditSubject {
  readonly actor: string
  readonly payload: { readonly [name: string]: Json }
}

/** The ids in an actor, and what follows from its text alone. */
export interface ActorRefs {
  readonly kind: ActorKind
  readonly means: ActorMeans | null
  readonly memberId: string | null
  readonly keyId: string | null
  readonly sessionId: string | null
  /** Name of an operator's credential or of a part of the service; null for every other actor. */
  readonly name: string | null
}

/** Parts of the service that run on a schedule; every other part is a job. */
const SCHEDULES = new Set(['reconcile', 'expiry', 'ledger', 'housekeeping'])

/** Parts of the service that act for a person who signs in. */
const SIGN_IN = new Set(['saml', 'oidc'])

const NO_IDS: Omit<ActorRefs, 'kind'> = { means: null, memberId: null, keyId: null, sessionId: null, name: null }

/**
 * Reads the actor of an audit line, as `describeActor` writes it. A person who signs in has no session yet: the payload
 * of such a line names the person and the proof.
 */
export function readActor({ actor, payload }: AuditSubject): ActorRefs {
  const colon = actor.indexOf(':')
  const [kind, rest] = colon === -1 ? [actor, ''] : [actor.slice(0, colon), actor.slice(colon + 1)]
  switch (kind) {
    case 'key':
      return { ...NO_IDS, kind: 'key', means: 'api', keyId: rest }
    case 'session':
      return sessionRefs(rest)
    case 'admin':
      return { ...NO_IDS, kind: 'operator', means: 'api', name: rest }
    case 'scim':
      return { ...NO_IDS, kind: 'identity_provider', means: 'api', keyId: rest }
    case 'processor':
      return { ...NO_IDS, kind: 'payment_processor', means: 'api' }
    case 'system':
      if (SIGN_IN.has(rest) && 'auth_method' in payload) return signInRefs(payload)
      return { ...NO_IDS, kind: 'service', means: SCHEDULES.has(rest) ? 'schedule' : 'job', name: rest }
    default:
      return signInRefs(payload)
  }
}

/** `ses_…`, with `of mbr_…` for a member's session and `with key_…` for one that a key opened. */
function sessionRefs(text: string): ActorRefs {
  const [sessionId = '', ...relations] = text.split(' ')
  const after = (word: string) => (relations.includes(word) ? (relations[relations.indexOf(word) + 1] ?? null) : null)
  const memberId = after('of')
  const keyId = after('with')
  return { ...NO_IDS, kind: memberId === null ? 'key' : 'person', means: 'browser', sessionId, memberId, keyId }
}

function signInRefs({ member_id: memberId, auth_method: method }: AuditSubject['payload']): ActorRefs {
  if (typeof memberId !== 'string') return { ...NO_IDS, kind: 'anonymous' }
  return { ...NO_IDS, kind: 'person', means: meansOf(method), memberId }
}

function meansOf(method: Json | undefined): ActorMeans | null {
  return ACTOR_MEANS.find((means) => means === method) ?? null
}
