import type { Operation } from '../../kernel/operation.ts'

/** Records that a job compiles the captures of a cluster. Recording it twice changes nothing. */
export async function recordClusterCompile(
  op: Operation,
  compile: {
    readonly jobId: string
    readonly namespace: string
    readonly signature: string
  },
): Promise<void> {
  const { jobId, namespace, signature } = compile
  await op.write(async (tx) => {
    await tx.q
      .insertInto('cluster_compiles')
      .values({
        job_id: jobId,
        tenant_id: op.tenantId,
        namespace,
        signature,
        created_at: op.now(),
      })
      .onConflict((on) => on.doNothing())
      .execute()
  })
}
