import { GetArtifactAnswer } from '../../../core/compile/wire/artifacts.ts'
import { LineageAnswer } from '../../../core/compile/wire/artifacts/lineage.ts'
import type { ApiClient } from '../../client/api-client.ts'
import type { CliContext } from '../../context.ts'
import { formatTable, formatTime } from '../../terminal/table.ts'
import { findArtifactId } from '../artifact-id.ts'

/** Options of `svc artifacts lineage`. */
export interface LineageFlags {
  readonly depth: number
}

/** `svc artifacts lineage`. */
export async function showLineage(context: CliContext, target: string, { depth }: LineageFlags): Promise<void> {
  const client = await context.client()
  const lineage = await client.call('/v1/artifact/lineage', LineageAnswer, {
    method: 'POST',
    json: { cid: await findCid(client, target), max_depth: depth },
  })
  context.output.result(lineage, () => {
    const rows = lineage.chain.map(({ semver, artifact_id: id, state, k_score: k, created_at: at, cid }) => [
      semver,
      id,
      state,
      k.toFixed(3),
      formatTime(at),
      cid,
    ])
    const table = formatTable(['version', 'artifact', 'state', 'K', 'made', 'CID'], rows)
    return lineage.truncated ? `${table}\nearlier versions follow: raise --depth` : table
  })
}

/** Returns the CID that an id of any kind names. */
export async function findCid(client: ApiClient, target: string): Promise<string> {
  if (target.startsWith('cidv1:')) return target
  const id = await findArtifactId(client, target)
  const { cid } = await client.call(`/v1/artifacts/${encodeURIComponent(id)}`, GetArtifactAnswer)
  return cid
}
