import type { Operation } from '../../kernel/operation.ts'

/** A conversion that wrote its file. */
export interface WrittenExport {
  readonly sizeBytes: number
  readonly quant: string | null
}

/** Exports that are read at most. */
const MOST_READ = 100

/** Lists what the tenant's finished exports of an artifact to a format wrote, newest first. */
export async function listWrittenExports(
  op: Operation,
  { artifactId, target }: { readonly artifactId: string; readonly target: string },
): Promise<readonly WrittenExport[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('exports')
      .select(['size_bytes as sizeBytes', 'quant'])
      .where('tenant_id', '=', op.tenantId)
      .where('artifact_id', '=', artifactId)
      .where('target', '=', target)
      .where('part', '=', 'merged')
      .where('state', '=', 'succeeded')
      .orderBy('created_at', 'desc')
      .limit(MOST_READ),
  )
  return rows.flatMap(({ sizeBytes, quant }) => (sizeBytes === null ? [] : [{ sizeBytes: Number(sizeBytes), quant }]))
}
