import type { DiffAnswer } from '../../../../core/compile/wire/artifacts/diff.ts'
import type { Artifact } from '../../../../db/compile/artifacts/artifact.ts'
import { findAncestors } from '../../../../db/compile/evidence/ancestors.ts'
import type { Operation } from '../../../../db/kernel/operation.ts'

/** Ancestors that are looked through. */
const MOST_ANCESTORS = 1000

/** Returns what `b` is to `a`: siblings share an ancestor or their concept. */
export async function relationOf(op: Operation, a: Artifact, b: Artifact): Promise<DiffAnswer['lineage_relation']> {
  if (a.id === b.id) return 'same'
  const [ofA, ofB] = await Promise.all([a, b].map(async ({ id }) => await findAncestors(op, id, MOST_ANCESTORS)))
  if (ofB?.includes(a.id) === true) return 'descendant'
  if (ofA?.includes(b.id) === true) return 'ancestor'
  const isShared = a.conceptId === b.conceptId || ofA?.some((id) => ofB?.includes(id)) === true
  return isShared ? 'sibling' : 'unrelated'
}
