import type { RecipeKind } from '../../../core/compile/task.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { ConceptEntity } from './concept.ts'
import { VersionEntity } from './version.ts'

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
  if (locked === undefined) {
    tx.em.create(ConceptEntity, {
      id: conceptId,
      tenantId,
      name: slugOf(input.task),
      description: input.task.slice(0, 400),
      tags: [],
      visibility: 'tenant',
      versionCount: 1,
      headVersionId: version.id,
      createdAt: now,
      updatedAt: now,
    })
    await tx.em.flush()
  } else {
    await tx.q
      .updateTable('concepts')
      .set({ version_count: number, head_version_id: version.id, updated_at: now })
      .where('id', '=', conceptId)
      .execute()
  }
  tx.em.create(VersionEntity, {
    ...version,
    tenantId,
    conceptId,
    number,
    semver: `0.${number}.0`,
    parentVersionId: locked?.headVersionId ?? null,
    createdAt: now,
  })
  await tx.em.flush()
  await tx.q.selectNoFrom(notify('svc_concepts', conceptId).as('notified')).execute()
  return { conceptId }
}
