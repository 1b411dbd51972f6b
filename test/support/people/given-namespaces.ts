import { givenLogged } from './given-belongings.ts'
import { givenBatch } from './given-batch.ts'
import { findArtifact } from '../../../db/compile/artifacts/find-artifact.ts'
import { createShareLink } from '../../../db/compile/share-links/create-share-link.ts'
import { givenExport } from '../db/given.ts'
import { givenProgramVersion } from '../archives/signed-artifacts.ts'
import type { ApiTenant, OpenedApi } from '../api.ts'
import { givenLearned } from './given-learned.ts'
import { givenLife } from './given-life.ts'
import { givenDocuments } from './given-documents.ts'
import { setUpOperation } from './given-members.ts'
import { sendSql } from '../db/send-sql.ts'

/**
 * Something of each kind that lies in a namespace of a tenant, by the prefix of its id, and `mark`: a word that stands in
 * every text of it.
 */
export async function givenNamespace(
  api: OpenedApi,
  tenant: ApiTenant,
  namespace: string,
): Promise<ReadonlyMap<string, string>> {
  const { db, signingKeys } = api.server.services
  const op = { ...setUpOperation(db, tenant.id), scopes: ['*'] }
  const { jobId, conceptId, versionId } = await givenProgramVersion(op, signingKeys.current)
  const mark = `mark-of-${namespace}`
  await sendSql(
    db,
    `update compile_jobs set spec = json_build_object('corpus_namespace', $2::text), task = $3 where id = $1`,
    [jobId, namespace, mark],
  )
  await sendSql(db, 'update concepts set name = $2, description = $2 where id = $1', [conceptId, mark])
  await sendSql(db, 'update artifacts set name = $2 where id = $1', [jobId, mark])
  const exported = await givenExport(op, jobId)
  const link = await createShareLink(op, { kind: 'artifact', artifactId: jobId, days: 1, runLimit: 0 })
  const event = await api.call('POST', '/v1/account/api-control-center/events', {
    key: tenant.key,
    body: { namespace, source_id: mark, payload: { note: 'a note' } },
  })
  if (event.status !== 201) throw new Error(event.text)
  const { cid } = await findArtifact(op, jobId)
  const { indexId, documentId } = await givenDocuments(db, { tenantId: tenant.id, namespace, mark })
  const learned = await givenLearned(op, { namespace, artifactId: jobId, mark })
  await givenLife(db, { tenantId: tenant.id, artifactId: jobId, namespace, mark })
  return new Map([
    ['cmp', jobId],
    ['cpt', conceptId],
    ['ver', versionId],
    ['cid', cid],
    ['exp', exported.id],
    ['shr', link.id],
    ['bat', await givenBatch(op, { conceptId, versionId })],
    ['cap', await givenLogged(api, tenant, namespace)],
    ['evt', event.body.observation_id],
    ['idx', indexId],
    ['doc', documentId],
    ['ds', learned.datasetId],
    ['evl', learned.evaluationId],
    ['gat', learned.gateId],
    ['bko', learned.bakeoffId],
    ['inf', learned.measurementId],
    ['cdj', learned.cloudJobId],
    ['run', learned.runId],
    ['bpk', learned.packId],
    ['mark', mark],
  ])
}
