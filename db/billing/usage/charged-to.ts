import { namespacesOf } from '../../../core/kernel/scopes.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'

/** What use is put down to; empty texts where there is no team or no member. */
export interface ChargedTo {
  readonly namespace: string
  readonly teamId: string
  readonly memberId: string
}

/** The namespace of work that belongs to none. */
export const DEFAULT_NAMESPACE = 'default'

/** Work that nobody in particular does. */
export const CHARGED_TO_NOBODY: ChargedTo = { namespace: DEFAULT_NAMESPACE, teamId: '', memberId: '' }

/** The team and the member of a caller, and the namespace when its key is bound to a single one. */
export function chargedTo(principal: Pick<Principal, 'scopes' | 'teamId' | 'memberId'>): ChargedTo {
  const [namespace, ...others] = namespacesOf(principal.scopes) ?? []
  return {
    namespace: namespace === undefined || others.length > 0 ? DEFAULT_NAMESPACE : namespace,
    teamId: principal.teamId ?? '',
    memberId: principal.memberId ?? '',
  }
}
