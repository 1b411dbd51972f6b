import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { ACCEPTANCE_STATES } from '../../../../core/compile/wire/jobs/explain/acceptance.ts'
import { instant, real } from '../../../kernel/tables/columns.ts'
import { CompileJobEntity } from '../../jobs/compile-job.ts'

/** The acceptance of a gated job below its floor: the audited second call that has its best candidate signed. */
export const CompileAcceptanceEntity = defineTable({
  name: 'CompileAcceptance',
  tableName: 'compile_acceptances',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    /** Of its job. */
    tenantId: p.text(),
    state: p.enum(ACCEPTANCE_STATES),
    /** Kind and id of the credential that accepted, as in the audit ledger. */
    acceptedBy: p.text(),
    acceptedAt: instant(),
    kScore: real(),
    kScoreFloor: real(),
    errorCode: p.text().nullable(),
    finishedAt: instant().nullable(),
    /** When the reconciler looks at a pending row again. */
    lookAt: instant().nullable(),
  },
  indexes: [
    { properties: ['tenantId'] },
    { name: 'compile_acceptances_pending', properties: ['lookAt'], where: "state = 'pending'" },
  ],
  facts: {
    tenant: 'row',
    namespace: { within: 'svc_job_within', of: 'jobId' },
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'compile_acceptances',
      key: ['jobId'],
      columns: {
        jobId: true,
        tenantId: 'the document is of one tenant',
        state: true,
        acceptedBy: true,
        acceptedAt: true,
        kScore: true,
        kScoreFloor: true,
        errorCode: true,
        finishedAt: true,
        lookAt: 'when the service looks at the row again',
      },
    },
  },
})

export type CompileAcceptance = InferEntity<typeof CompileAcceptanceEntity>
