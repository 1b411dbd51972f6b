import type { Database } from './database.ts'

/** Who does it. */
export type Actor =
  | { readonly kind: 'key'; readonly keyId: string }
  | { readonly kind: 'session'; readonly sessionId: string; readonly keyId: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'system'; readonly name: string }

/** A verb's first argument: on which database, for which tenant, by whom, in which request, at what time. */
export interface Operation {
  readonly db: Database
  readonly tenantId: string
  readonly actor: Actor
  readonly requestId: string
  now(): Date
}

/** An operation that the service does by itself: an activity, a schedule. */
export function systemOperation(
  db: Database,
  by: { readonly tenantId: string; readonly name: string; readonly requestId: string; readonly now?: () => Date },
): Operation {
  return {
    db,
    tenantId: by.tenantId,
    actor: { kind: 'system', name: by.name },
    requestId: by.requestId,
    now: by.now ?? (() => new Date()),
  }
}

/** The actor in one line, as it stands in the audit ledger. */
export function describeActor(actor: Actor): string {
  switch (actor.kind) {
    case 'key':
      return `key:${actor.keyId}`
    case 'session':
      return `session:${actor.sessionId}`
    case 'system':
      return `system:${actor.name}`
    case 'anonymous':
      return 'anonymous'
  }
}
