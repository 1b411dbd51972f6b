import type { Attempts } from '../../../core/learn/gate/spending.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** The attempts on the corpora of one lineage. */
export interface LineageAttempts {
  readonly attempts: Attempts
  /** True while the last of them is not decided. */
  readonly isUnderWay: boolean
}

/** Returns the attempts on a lineage, in the order of their registration. Failed ones are attempts without a promotion. */
export async function attemptsOn(from: Reader, { tenantId }: Operation, lineageId: string): Promise<LineageAttempts> {
  const [gates] = await from.read((q) => [
    q
      .selectFrom('gates as g')
      .innerJoin('holdout_corpora as c', 'c.id', 'g.holdout_id')
      .select(['g.decision', 'g.finished_at as finishedAt'])
      .where('g.tenant_id', '=', tenantId)
      .where('c.lineage_id', '=', lineageId)
      .orderBy('g.created_at')
      .orderBy('g.id'),
  ])
  return {
    attempts: gates.map(({ decision }) => decision === 'promote'),
    isUnderWay: gates.some(({ finishedAt }) => finishedAt === null),
  }
}
