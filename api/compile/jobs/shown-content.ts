import type { ContentMembers } from '../../../core/compile/archive/members/content.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { forgottenExamples } from '../../../db/compile/jobs/captures/read-uses.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/**
 * Returns what pages and code may quote of an archive: its content without the held-out rows of captures that were forgotten
 * since. The archive itself keeps them, as it was signed.
 */
export async function shownContent(
  op: Operation,
  { id, forgottenCaptures }: Pick<Artifact, 'id' | 'forgottenCaptures'>,
  content: ContentMembers,
): Promise<ContentMembers> {
  if (forgottenCaptures === 0) return content
  const forgotten = await forgottenExamples(op, id)
  const { evals } = content
  const isKept = (row: { readonly id: string }): boolean => !forgotten.has(row.id)
  return {
    ...content,
    evals:
      evals.spec === 'svc-evals-1'
        ? { ...evals, rows: evals.rows.filter(isKept) }
        : { ...evals, rows: evals.rows.filter(isKept) },
  }
}
