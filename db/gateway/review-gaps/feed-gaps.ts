import type { Operation } from '../../kernel/operation.ts'

/** A gap to queue, with the pending captures that lie in it. */
export interface NewGap {
  readonly clusterId: string
  readonly title: string
  readonly score: number
  readonly recommended: number
  readonly delta: number
  readonly samples: number
  readonly artifactId: string
  readonly captureIds: readonly string[]
}

/** Puts gaps into the review queue of a namespace, each once a day. Returns the ids of those that are new today. */
export async function feedGaps(
  op: Operation,
  namespace: string,
  gaps: readonly NewGap[],
): Promise<ReadonlySet<string>> {
  if (gaps.length === 0) return new Set()
  const fedAt = op.now()
  const day = fedAt.toISOString().slice(0, 'YYYY-MM-DD'.length)
  return await op.write(async (tx) => {
    const rows = await tx.q
      .insertInto('review_gaps')
      .values(
        gaps.map((gap) => ({
          tenant_id: op.tenantId,
          namespace,
          cluster_id: gap.clusterId,
          day,
          title: gap.title,
          score: gap.score,
          recommended: gap.recommended,
          delta: gap.delta,
          samples: gap.samples,
          artifact_id: gap.artifactId,
          capture_ids: [...gap.captureIds],
          fed_at: fedAt,
        })),
      )
      .onConflict((on) => on.columns(['tenant_id', 'namespace', 'cluster_id', 'day']).doNothing())
      .returning('cluster_id as id')
      .execute()
    return new Set(rows.map(({ id }) => id))
  })
}
