import { sql } from 'kysely'
import type { RecipeKind } from '../../../core/compile/rows/task.ts'
import type { Operation } from '../../kernel/operation.ts'

/** A recipe that is called often. */
export interface SpecialistCandidate {
  /** Id of the concept. */
  readonly id: string
  readonly name: string
  readonly kind: RecipeKind
  /** Calls of all its versions since the first. */
  readonly invocations: number
  readonly lastAt: Date
}

/** Candidates of an answer. */
const LISTED = 200

/** Lists the recipes of the tenant with at least so many calls, most called first. Recipes that are adapters already are left out. */
export async function listCandidates(op: Operation, leastCalls: number): Promise<readonly SpecialistCandidate[]> {
  return await op.read((q) =>
    q
      .selectFrom('invocation_stats as i')
      .innerJoin('concepts as c', 'c.id', 'i.concept_id')
      .innerJoin('versions as v', 'v.id', 'c.head_version_id')
      .select(['c.id', 'c.name', 'v.recipe_kind as kind'])
      .select([sql<number>`sum(i.calls)::bigint`.as('invocations'), sql<Date>`max(i.last_at)`.as('lastAt')])
      .where('i.tenant_id', '=', op.tenantId)
      .where('c.deleted_at', 'is', null)
      .where('v.recipe_kind', '<>', 'lora')
      .groupBy(['c.id', 'c.name', 'v.recipe_kind'])
      .having(sql<boolean>`sum(i.calls) >= ${leastCalls}`)
      .orderBy(sql`sum(i.calls)`, 'desc')
      .orderBy('c.id')
      .limit(LISTED),
  )
}
