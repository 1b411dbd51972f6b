import type { RecipeKinds, RunSubject } from '../../../core/compile/stages/pool/run-terms.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** Returns the kinds of the recipes of the tenant's artifacts among `subjects`, by id, for `runTerms`. */
export async function recipeKinds(
  from: Reader,
  tenantId: string,
  subjects: readonly RunSubject[],
): Promise<RecipeKinds> {
  const ids = subjects.flatMap(({ artifactId }) => artifactId ?? [])
  if (ids.length === 0) return new Map()
  const found = await from.read((q) =>
    q
      .selectFrom('artifacts')
      .select(['id', 'recipe_kind as kind'])
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', ids),
  )
  return new Map(found.map(({ id, kind }) => [id, kind]))
}
