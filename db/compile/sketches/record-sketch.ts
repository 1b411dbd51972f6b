import type { Json } from '../../../core/kernel/json/json.ts'
import { encodeSketch, sketchInputs } from '../../../core/compile/runtime/routing/sketch.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify, rowInsert } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** A version whose inputs are to be known. */
export interface SketchedVersion {
  readonly tenantId: string
  readonly artifactId: string
  readonly inputs: readonly Json[]
  readonly now: Date
}

/** Records the sketch of a version's inputs with the version, in the transaction that publishes it. */
export function recordSketch(tx: Transaction, version: SketchedVersion): void {
  tx.post(insertSketch(rowOf(version)))
}

/**
 * Records the sketch of a version that has none, and tells the processes that route calls. A no-op for one that got its
 * sketch meanwhile.
 */
export async function addSketch(
  op: Operation,
  { artifactId, conceptId, inputs }: Pick<SketchedVersion, 'artifactId' | 'inputs'> & { readonly conceptId: string },
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .insertInto('version_sketches')
      .values(rowOf({ tenantId: op.tenantId, artifactId, inputs, now: op.now() }))
      .onConflict((on) => on.doNothing())
      .execute()
    await tx.q.selectNoFrom(notify('svc_concepts', conceptId).as('notified')).execute()
  })
}

/** Removes the sketch of a version whose examples are erased in part; one is made of the others. */
export async function dropSketch(tx: Transaction, artifactId: string): Promise<void> {
  await tx.q.deleteFrom('version_sketches').where('artifact_id', '=', artifactId).execute()
}

function rowOf({ tenantId, artifactId, inputs, now }: SketchedVersion) {
  const sketch = Buffer.from(encodeSketch(sketchInputs(inputs)))
  return { artifact_id: artifactId, tenant_id: tenantId, sketch, created_at: now }
}

const insertSketch = rowInsert('version_sketches', ['artifact_id', 'tenant_id', 'sketch', 'created_at'])
