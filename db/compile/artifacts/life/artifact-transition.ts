import { p, type InferEntity } from '@mikro-orm/core'
import { ARTIFACT_STATES } from '../../../../core/compile/artifacts/life/states.ts'
import { instant } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { ArtifactEntity } from '../artifact.ts'

/** A transition of an artifact from one state to another. Its signature, which begins its life, is a fact of its own row. */
export const ArtifactTransitionEntity = defineTable({
  name: 'ArtifactTransition',
  tableName: 'artifact_transitions',
  properties: {
    artifactId: () => p.manyToOne(ArtifactEntity).mapToPk().fieldName('artifact_id').primary(),
    /** Counts the transitions of the artifact from 1. */
    position: p.integer().primary(),
    /** Of its artifact. */
    tenantId: p.text(),
    fromState: p.enum(ARTIFACT_STATES),
    toState: p.enum(ARTIFACT_STATES),
    /** Kind and id of the credential, as in the audit ledger. */
    actor: p.text(),
    reason: p.text().nullable(),
    evidenceId: p.text().nullable(),
    /** The artifact that took its place. */
    successorId: p.text().nullable(),
    at: instant(),
    /** When the workflow had carried out what follows from it; null until then. */
    effectsAt: instant().nullable(),
    /** When the reconciler looks at a pending row again. */
    lookAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId', 'artifactId', 'position'] },
    { name: 'artifact_transitions_pending', properties: ['lookAt'], where: 'effects_at is null' },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'artifactId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'artifact_transitions',
      key: ['artifactId', 'position'],
      columns: {
        artifactId: true,
        position: true,
        tenantId: 'the document is of one tenant',
        fromState: true,
        toState: true,
        actor: true,
        reason: true,
        evidenceId: true,
        successorId: true,
        at: true,
        effectsAt: true,
        lookAt: 'when the service looks at the row again',
      },
    },
    sweeps: { none: 'part of the evidence of the artifact' },
  },
})

export type ArtifactTransition = InferEntity<typeof ArtifactTransitionEntity>
