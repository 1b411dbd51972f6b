import type { ActorMeans, ActorRefs } from './actor-refs.ts'

/** A person in the audit log, as the account knows them today. */
export interface ActorMember {
  readonly id: string
  readonly name: string | null
  readonly email: string
}

/** A key in the audit log. `prefix` is its public part, `ks_` and twelve characters. */
export interface ActorKey {
  readonly id: string
  readonly prefix: string
  readonly label: string | null
}

/** An actor with the rows of its ids; null for a row that does not exist. */
export interface FoundActor {
  readonly refs: ActorRefs
  readonly member: ActorMember | null
  readonly key: (ActorKey & { readonly isPrimary: boolean }) | null
}

/** Last characters of a key's public part that identify it in a sentence. */
const SHOWN_CHARS = 4

const MEANS_TEXTS: Readonly<Record<Exclude<ActorMeans, 'api' | 'job' | 'schedule'>, string>> = {
  browser: 'from a browser',
  mail: 'by a mailed link',
  oauth: 'by OAuth',
  saml: 'by single sign-on',
  oidc: 'by single sign-on',
  invitation: 'by invitation',
}

const SERVICE_TEXTS: Readonly<Record<string, string>> = {
  compile: 'compile job',
  export: 'export job',
  billing: 'billing job',
  deletion: 'account deletion',
  claim: 'workspace claim',
  saml: 'single sign-on',
  oidc: 'single sign-on',
  'share-link': 'share link',
}

/** Returns who acted and by what means, for people: "Ada, from a browser", "key reporting (ks_…abcd)", "schedule housekeeping". */
export function actorText({ refs, member, key }: FoundActor): string {
  switch (refs.kind) {
    case 'person':
      return withMeans(member === null ? `former member ${refs.memberId}` : (member.name ?? member.email), refs.means)
    case 'key':
      // Older lines name a session only, and sessions are removed when they expire.
      if (key === null && refs.keyId === null) return 'browser session'
      return withMeans(keyText(refs, key), refs.means)
    case 'operator':
      return refs.name === 'key' ? 'operator, with the admin key' : `operator ${refs.name}`
    case 'identity_provider':
      return 'identity provider (SCIM)'
    case 'payment_processor':
      return 'payment processor'
    case 'service':
      return refs.means === 'schedule' ? `schedule ${refs.name}` : serviceText(refs.name ?? '')
    case 'anonymous':
      return 'visitor, not signed in'
  }
}

/** A part of the service may name what it acted for: `share-link shr_…`. */
function serviceText(name: string): string {
  const [part = ''] = name.split(' ')
  return SERVICE_TEXTS[part] ?? `job ${part}`
}

function withMeans(who: string, means: ActorMeans | null): string {
  if (means === null || means === 'api' || means === 'job' || means === 'schedule') return who
  return `${who}, ${MEANS_TEXTS[means]}`
}

function keyText({ keyId }: ActorRefs, key: FoundActor['key']): string {
  if (key === null) return `former key ${keyId}`
  const [kind = ''] = key.prefix.split('_')
  if (kind === 'kao') return 'workspace'
  const shown = `${kind}_…${key.prefix.slice(-SHOWN_CHARS)}`
  const name = key.isPrimary ? 'primary key' : 'key'
  return key.label === null ? `${name} ${shown}` : `${name} ${key.label} (${shown})`
}
