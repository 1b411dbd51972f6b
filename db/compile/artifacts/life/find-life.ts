import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { ArtifactState } from '../../../../core/compile/artifacts/life/states.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { ArtifactTransition } from './artifact-transition.ts'

/** The life of an artifact. */
export interface ArtifactLife {
  readonly artifactId: string
  readonly state: ArtifactState
  /** The signature, with which it begins. */
  readonly signedAt: Date
  /** Oldest first, at most `transitions_per_artifact` and a revocation. */
  readonly transitions: readonly Omit<ArtifactTransition, 'tenantId' | 'lookAt'>[]
}

/** Returns the life of one artifact of the tenant. Throws `not_found`. */
export async function findLife(op: Operation, artifactId: string): Promise<ArtifactLife> {
  const [[artifact], transitions] = await op.read((q) => [
    q
      .selectFrom('artifacts')
      .select(['state', 'signed_at as signedAt'])
      .where('id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId),
    q
      .selectFrom('artifact_transitions')
      .select([
        'artifact_id as artifactId',
        'position',
        'from_state as fromState',
        'to_state as toState',
        'actor',
        'reason',
        'evidence_id as evidenceId',
        'successor_id as successorId',
        'at',
        'effects_at as effectsAt',
      ])
      .where('artifact_id', '=', artifactId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('position'),
  ])
  if (artifact === undefined) throw KERNEL_ERRORS.not_found('no such artifact')
  return { artifactId, state: artifact.state, signedAt: artifact.signedAt, transitions }
}
