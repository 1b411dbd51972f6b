import { computeCid, parseHashes } from '../../../../core/compile/archive/cid.ts'
import { CidAnswer, CidBody } from '../../../../core/compile/wire/artifacts/lineage.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import { findByCids } from '../../../../db/compile/artifacts/find-by-cids.ts'
import { envelope } from '../../../kernel/reply/answers.ts'
import { defineRoute } from '../../services.ts'

export const resolveCidRoute = defineRoute({
  method: 'post',
  path: '/v1/cid',
  operationId: 'resolveCid',
  group: 'artifacts',
  summary: 'Compute a CID, or look CIDs up',
  description:
    'With `hashes` the CID of content members is computed: SHA-256 over the RFC 8785 form of `{"hashes": {member: digest}}`. With ' +
    '`cid` or `cids` the artifacts of the account with these CIDs are listed. A single `cid` without an artifact is 404; of a ' +
    'list, and of computed ones, those without an artifact are in `unknown`.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: CidBody,
  fieldCodes: { cid: 'invalid_cid', cids: 'invalid_cid' },
  answers: { 200: envelope('The CID and its artifacts', CidAnswer) },
  errors: ['invalid_cid', 'invalid_hashes', 'not_found'],
}).handle(async ({ op, body }) => {
  const computed = body.hashes === undefined ? null : computeCid(parseHashes(body.hashes))
  const asked = [...new Set([computed, body.cid, ...(body.cids ?? [])].filter((cid) => typeof cid === 'string'))]
  const found = Map.groupBy(await findByCids(op, asked), ({ cid }) => cid)
  if (body.cid !== undefined && !found.has(body.cid)) {
    throw KERNEL_ERRORS.not_found('cid: no artifact has this CID')
  }
  return {
    status: 200,
    body: {
      cid: computed ?? body.cid ?? null,
      matches: computed === null || body.cid === undefined ? null : computed === body.cid,
      resolved: asked.flatMap((cid) => {
        const artifacts = found.get(cid)
        if (artifacts === undefined) return []
        return [
          {
            cid,
            n: artifacts.length,
            artifacts: artifacts.map(({ id, conceptId, versionId, name, state, kScore, signedAt }) => ({
              id,
              concept_id: conceptId,
              version_id: versionId,
              name,
              status: state,
              k_score: kScore,
              signed_at: signedAt.toISOString(),
            })),
          },
        ]
      }),
      unknown: asked.filter((cid) => !found.has(cid)),
    },
  }
})
