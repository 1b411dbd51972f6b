import type { Operation } from '../../kernel/operation.ts'

/** A link of the operation's tenant. */
interface LinkOf {
  readonly op: Operation
  readonly id: string
}

/**
 * Takes one of the runs of a link. Returns how many are left; null when none was. Two callers never take the same run.
 */
export async function takeLinkRun({ op, id }: LinkOf): Promise<number | null> {
  const taken = await op.write(
    async (tx) =>
      await tx.q
        .updateTable('share_links')
        .set((of) => ({ run_count: of('run_count', '+', 1) }))
        .where('id', '=', id)
        .where('tenant_id', '=', op.tenantId)
        .whereRef('run_count', '<', 'run_limit')
        .returning(['run_limit as limit', 'run_count as count'])
        .executeTakeFirst(),
  )
  return taken === undefined ? null : taken.limit - taken.count
}

/** Returns a run that got no answer. */
export async function returnLinkRun({ op, id }: LinkOf): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('share_links')
      .set((of) => ({ run_count: of('run_count', '-', 1) }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('run_count', '>', 0)
      .execute()
  })
}
