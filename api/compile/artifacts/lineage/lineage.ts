import { LineageAnswer, LineageBody } from '../../../../core/compile/wire/artifacts/lineage.ts'
import { versionChain } from '../../../../db/compile/evidence/version-chain.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'
import { artifactOf } from '../diagnosis/row-sources.ts'

export const traceLineageRoute = defineRoute({
  method: 'post',
  path: '/v1/artifact/lineage',
  operationId: 'traceLineage',
  group: 'artifacts',
  summary: 'Trace an artifact back through its versions',
  description:
    'Follows the pointers to the version before, which archives hold as `parent_cid` of build.json. Of several artifacts with the ' +
    'CID, the newest one is traced. A pointer in a circle ends the chain.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: LineageBody,
  fieldCodes: { cid: 'invalid_cid' },
  answers: { 200: envelope('The chain', LineageAnswer) },
  errors: ['invalid_cid', 'not_found'],
}).handle(async ({ op, body: { cid, max_depth: most } }) => {
  const { id } = await artifactOf(op, cid)
  // One more than is answered tells the CID of the last one's parent.
  const walked = await versionChain(op, id, most + 2)
  const repeated = walked.findIndex(
    (link, at) => walked.findIndex(({ artifactId }) => artifactId === link.artifactId) < at,
  )
  const links = repeated === -1 ? walked : walked.slice(0, repeated)
  const chain = links.slice(0, most + 1).map((link, at) => ({
    cid: link.cid,
    parent_cid: walked[at + 1]?.cid ?? null,
    artifact_id: link.artifactId,
    version_id: link.versionId,
    semver: link.semver,
    state: link.state,
    k_score: link.kScore,
    created_at: link.createdAt.toISOString(),
  }))
  return { status: 200, body: { cid, chain, depth: chain.length - 1, truncated: links.length > chain.length } }
})
