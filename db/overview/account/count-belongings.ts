import type { Operation } from '../../kernel/operation.ts'
import { compilerOverview } from './overview.ts'

/** Counts what the tenant has, by the words of people; for a key bound to namespaces that in them. */
export async function countBelongings(op: Operation): Promise<Readonly<Record<string, number>>> {
  const { counts } = await compilerOverview(op)
  return {
    artifacts: counts.artifacts,
    'compile jobs': counts.compileJobs,
    concepts: counts.specialists,
    exports: counts.deliveries,
    calls: counts.calls,
  }
}
