import { namespacesOf } from '../../../core/kernel/scopes.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'

/** The dimensions of a charge; empty texts without a team or a member. */
export interface ChargedTo {
  readonly namespace: string
  readonly teamId: string
  readonly memberId: string
}

/** The namespace of work without one. */
export const DEFAULT_NAMESPACE = 'default'

/** Work without a team or a member. */
export const CHARGED_TO_NOBODY: ChargedTo = { namespace: DEFAULT_NAMESPACE, teamId: '', memberId: '' }

/** Returns the team and the member of a caller, and the namespace when its key is bound to a single one. */
export function chargedTo(principal: Pick<Principal, 'scopes' | 'teamId' | 'memberId'>): ChargedTo {
  const [namespace, ...others] = namespacesOf(principal.scopes) ?? []
  return {
    namespace: namespace === undefined || others.length > 0 ? DEFAULT_NAMESPACE : namespace,
    teamId: principal.teamId ?? '',
    memberId: principal.memberId ?? '',
  }
}
