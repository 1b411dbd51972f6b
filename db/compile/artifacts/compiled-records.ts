import type { CompiledRecord, CompiledRecords } from '../../../core/gateway/ports.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import type { Reads, Statement } from '../../kernel/queries/typed.ts'

/** Finds a record of each kind. */
const FIND: Readonly<Record<CompiledRecord['kind'], (q: Reads, tenantId: string, id: string) => Statement<object>>> = {
  artifact: (q, tenantId, id) =>
    q.selectFrom('artifacts').select('id').where('tenant_id', '=', tenantId).where('id', '=', id),
  compile_job: (q, tenantId, id) =>
    q.selectFrom('compile_jobs').select('id').where('tenant_id', '=', tenantId).where('id', '=', id),
  export: (q, tenantId, id) =>
    q.selectFrom('exports').select('id').where('tenant_id', '=', tenantId).where('id', '=', id),
}

/** Fills the gateway's port to jobs, artifacts and exports. */
export const compiledRecords: CompiledRecords<Reader> = {
  async has(from, tenantId, { kind, id }) {
    const found = await from.read((q) => FIND[kind](q, tenantId, id))
    return found.length > 0
  },
  async count(from, tenantId) {
    const [counts] = await from.read((q) => {
      const count = q.fn.countAll<number>().as('count')
      const jobs = q.selectFrom('compile_jobs').where('tenant_id', '=', tenantId)
      const artifacts = q.selectFrom('artifacts').where('tenant_id', '=', tenantId)
      return q.selectNoFrom([
        jobs.select(count).$asScalar().$notNull().as('compileJobs'),
        artifacts.select(count).$asScalar().$notNull().as('artifacts'),
      ])
    })
    return counts ?? { compileJobs: 0, artifacts: 0 }
  },
}
