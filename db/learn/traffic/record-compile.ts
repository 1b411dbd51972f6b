import type { Operation } from '../../kernel/operation.ts'

/** Records that a job compiles the captures of a cluster. Recording it twice changes nothing. */
export async function recordClusterCompile(
  op: Operation,
  compile: {
    readonly jobId: string
    readonly namespace: string
    readonly signature: string
    readonly captureIds: readonly string[]
  },
): Promise<void> {
  const { jobId, namespace, signature, captureIds } = compile
  await op.write(async (tx) => {
    await tx.q
      .insertInto('cluster_compiles')
      .values({
        job_id: jobId,
        tenant_id: op.tenantId,
        namespace,
        signature,
        capture_ids: [...captureIds],
        created_at: op.now(),
      })
      .onConflict((on) => on.doNothing())
      .execute()
  })
}
