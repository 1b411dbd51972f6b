import type { RecipeKind } from '../../../core/compile/rows/task.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { notify, rowInsert } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Returns the name of a concept: the task in lower case, other characters than letters and digits as single hyphens.
 */
export function slugOf(task: string): string {
  const slug = task
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replace(/^-+|-+$/g, '')
  return slug === '' ? 'task' : slug
}

/**
 * Adds a version to a concept and moves the head to it, within the transaction that ends its job. Without a concept,
 * or when it was deleted meanwhile, makes a new one named by a slug of the task. Versions count 0.1.0, 0.2.0, …
 */
export async function publishVersion(
  tx: Transaction,
  input: {
    readonly tenantId: string
    readonly conceptId: string | null
    readonly task: string
    /** CID of the version that it follows; null for the head. */
    readonly parentCid: string | null
    readonly version: {
      readonly id: string
      readonly jobId: string
      readonly recipeKind: RecipeKind
      readonly kScore: number
      readonly sizeBytes: number
    }
    readonly now: Date
  },
): Promise<{ readonly conceptId: string }> {
  const { tenantId, version, now } = input
  const locked =
    input.conceptId === null
      ? undefined
      : await tx.q
          .selectFrom('concepts')
          .select(['id', 'version_count as versionCount', 'head_version_id as headVersionId'])
          .where('id', '=', input.conceptId)
          .where('tenant_id', '=', tenantId)
          .where('deleted_at', 'is', null)
          .forNoKeyUpdate()
          .executeTakeFirst()
  const number = (locked?.versionCount ?? 0) + 1
  const conceptId = locked?.id ?? newId('cpt')
  const parentId = locked === undefined ? null : ((await versionWith(tx, input, locked.id)) ?? locked.headVersionId)
  if (locked === undefined) {
    tx.post(
      insertConcept({
        id: conceptId,
        tenant_id: tenantId,
        name: slugOf(input.task),
        description: input.task.slice(0, 400),
        tags: '[]',
        visibility: 'tenant',
        version_count: 1,
        head_version_id: version.id,
        created_at: now,
        updated_at: now,
      }),
    )
  } else {
    tx.post(
      tx.q
        .updateTable('concepts')
        .set({ version_count: number, head_version_id: version.id, updated_at: now })
        .where('id', '=', conceptId),
    )
  }
  tx.post(
    insertVersion({
      id: version.id,
      tenant_id: tenantId,
      concept_id: conceptId,
      job_id: version.jobId,
      number,
      semver: `0.${number}.0`,
      parent_version_id: parentId,
      recipe_kind: version.recipeKind,
      k_score: version.kScore,
      size_bytes: version.sizeBytes,
      created_at: now,
    }),
  )
  tx.post(tx.q.selectNoFrom(notify('svc_concepts', conceptId).as('notified')))
  return { conceptId }
}

/** Returns the newest version of the concept with the CID that the archive names as its parent; null for none. */
async function versionWith(
  tx: Transaction,
  { tenantId, parentCid }: { readonly tenantId: string; readonly parentCid: string | null },
  conceptId: string,
): Promise<string | null> {
  if (parentCid === null) return null
  const parent = await tx.q
    .selectFrom('versions as v')
    .innerJoin('artifacts as a', 'a.version_id', 'v.id')
    .select('v.id')
    .where('v.tenant_id', '=', tenantId)
    .where('v.concept_id', '=', conceptId)
    .where('a.cid', '=', parentCid)
    .orderBy('v.number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return parent?.id ?? null
}

const insertConcept = rowInsert('concepts', [
  'id',
  'tenant_id',
  'name',
  'description',
  'tags',
  'visibility',
  'version_count',
  'head_version_id',
  'created_at',
  'updated_at',
])

const insertVersion = rowInsert('versions', [
  'id',
  'tenant_id',
  'concept_id',
  'job_id',
  'number',
  'semver',
  'parent_version_id',
  'recipe_kind',
  'k_score',
  'size_bytes',
  'created_at',
])
