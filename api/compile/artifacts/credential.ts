import { z } from 'zod'
import { type Credential, signCredential } from '../../../core/compile/artifacts/credential/credential.ts'
import { verifyCredential } from '../../../core/compile/artifacts/credential/verify-credential.ts'
import {
  GetCredentialAnswer,
  VerifyCredentialAnswer,
  VerifyCredentialBody,
} from '../../../core/compile/wire/artifacts/credential.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { ArtifactId } from '../../../core/kernel/wire/ids.ts'
import { toJwk, trustKeys } from '../../../core/ledger/keys/jwk.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { findStanding } from '../../../db/compile/artifacts/find-standing.ts'
import { findDag } from '../../../db/compile/evidence/find-dag.ts'
import { tenantOf } from '../../../db/kernel/operation.ts'
import { CHECKS } from '../../kernel/guard/public-limits.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'
import { artifactHashOf } from '../../../db/compile/artifacts/artifact-hash.ts'
import { defineRoute } from '../services.ts'
import { ARCHIVE_ERRORS } from '../submit/archive.ts'

export const getCredentialRoute = defineRoute({
  method: 'get',
  path: '/v1/artifacts/{id}/credential',
  operationId: 'getCredential',
  group: 'artifacts',
  summary: 'Issue the credential of an artifact',
  description:
    'A short signed document (`svc-credential/0.1`) that states K-score, base model and ingredients of an artifact. Its HMAC ' +
    'is under the receipt secret of the tenant, its Ed25519 signature under a published key. A revoked artifact gets none.',
  auth: 'key',
  scope: 'artifacts:read',
  namespace: 'bounded',
  params: z.object({ id: ArtifactId }),
  answers: { 200: envelope('The credential', GetCredentialAnswer) },
  errors: ARCHIVE_ERRORS,
}).handle(async ({ op, services, params: { id } }) => {
  const artifact = await openArchive(op, id)
  const [dag, macKey] = await Promise.all([findDag(op, id), services.receiptSecrets.current(op.tenantId)])
  const nodes = (dag?.nodes ?? []).filter(({ kind }) => kind !== 'signature')
  const credential = signCredential(
    {
      artifact_id: artifact.id,
      artifact_hash: toSha256(artifactHashOf(artifact)),
      cid: artifact.cid,
      assertions: assertionsOf(artifact),
      ingredients: nodes.map(({ id: node, kind, hash }) => ({
        id: node,
        kind,
        ...(typeof hash === 'string' && { hash }),
      })),
      signed_at: op.now().toISOString(),
    },
    macKey,
    services.signingKeys.current,
  )
  return { status: 200, body: { credential } }
})

export const verifyCredentialRoute = defineRoute({
  method: 'post',
  path: '/v1/credential/verify',
  limit: CHECKS,
  operationId: 'verifyCredential',
  group: 'receipts',
  summary: 'Verify a credential',
  description:
    'Checks the HMAC under the secret that `key_id` names, the Ed25519 signature under the published keys, and that the artifact is in force. An invalid credential is an answer with its reasons.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  bodyLimit: 'json_body_bytes',
  partsLimit: 'json_parts',
  body: VerifyCredentialBody,
  answers: { 200: envelope('Whether the credential is valid', VerifyCredentialAnswer) },
  errors: [],
}).handle(async ({ services, body }) => {
  const { credential, ...verdict } = await verifyCredential(body.credential, {
    findSecret: async (keyId) => await services.receiptSecrets.find(keyId),
    findStanding: async (tenantId, artifact) => await findStanding(tenantOf(services.db, tenantId), artifact),
    keys: trustKeys(services.signingKeys.all.map(({ publicKey }) => toJwk(publicKey))),
  })
  const { valid, spec, type, reasons, checks, state } = verdict
  const [reason] = reasons
  return {
    status: 200,
    body: {
      valid,
      ...(reason !== undefined && { reason }),
      spec,
      type,
      reasons: [...reasons],
      checks: { ...checks },
      ...(credential !== undefined && {
        artifact_id: credential.artifact_id,
        artifact_hash: credential.artifact_hash,
        cid: credential.cid,
        k_score: credential.assertions.k_score,
      }),
      ...(state !== undefined && { state }),
    },
  }
})

function assertionsOf(artifact: Artifact): Credential['assertions'] {
  const floor = isJsonObject(artifact.manifest) ? artifact.manifest['k_score_floor'] : undefined
  return {
    k_score: artifact.kScore,
    ...(typeof floor === 'number' && { k_score_floor: floor }),
    base_model: artifact.baseModel,
    recipe_kind: artifact.recipeKind,
    tier: 'recipe',
    ...(artifact.evalSetHash && { eval_set_hash: toSha256(artifact.evalSetHash) }),
    holdout_count: artifact.holdoutCount,
  }
}
