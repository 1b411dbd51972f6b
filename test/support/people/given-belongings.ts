import { givenBatch } from './given-batch.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { newResponseId, ownName } from '../../../core/gateway/protocol/dialects/responses/references.ts'
import { referenceKey, sealById } from '../../../core/gateway/record/seal-by-id.ts'
import { rememberReferences } from '../../../db/gateway/cache/references/remember-references.ts'
import type { TenantAccess } from '../../../db/kernel/operation.ts'
import { findJob } from '../../../db/compile/jobs/find-job.ts'
import { storeProviderKey } from '../../../db/gateway/provider-keys/store-provider-key.ts'
import { rotateReceiptSecret } from '../../../db/ledger/receipt-secrets/rotate-secret.ts'
import { givenEvaluation } from '../db/given-evaluation.ts'
import { givenExport, givenJob, givenReady, limits } from '../db/given.ts'
import type { ApiTenant, TestApi } from '../api.ts'
import { givenDocuments } from './given-documents.ts'
import { givenKey } from './given-keys.ts'
import { givenLearned } from './given-learned.ts'
import { findOwner, givenMember, givenPlan, givenSession, setUpOperation } from './given-members.ts'
import { sendSql } from '../db/send-sql.ts'

/** Something of each kind that a tenant has, by the prefix of its id; `cid` and `ks` stand for what has other names. */
export async function givenBelongings(api: TestApi, tenant: ApiTenant): Promise<ReadonlyMap<string, string>> {
  const { db } = api.server.services
  const set = setUpOperation(db, tenant.id)
  await givenPlan(db, tenant.id, 'business')
  const owner = await findOwner(set)
  const op = { ...set, scopes: ['*'] }
  const { job } = await givenJob(op)
  await givenReady(op, job.id)
  const { conceptId, versionId } = await findJob(op, job.id)
  const made = await givenExport(op, job.id)
  const member = await givenMember(set, { role: 'member' })
  const { keyId, key } = await givenKey(db, { tenantId: tenant.id, scopes: ['run'] })
  const { sessionId } = await givenSession(db, owner)
  const providerKey = await storeProviderKey(op, {
    provider: 'openai',
    value: 'sk-of-another-tenant-0123',
    label: null,
    memberId: owner.id,
    limits: limits(),
  })
  const [secret] = await sendSql<{ id: string }>(
    db,
    `select id from receipt_secrets where tenant_id = $1 and state = 'current'`,
    [tenant.id],
  )
  await rotateReceiptSecret(op, { limits: limits() })
  const [artifact] = await sendSql<{ cid: string }>(db, 'select cid from artifacts where tenant_id = $1', [tenant.id])
  const documents = { tenantId: tenant.id, namespace: 'support', mark: 'notes' }
  const { indexId, documentId } = await givenDocuments(db, documents)
  const learned = await givenLearned(op, { namespace: 'support', artifactId: job.id, mark: 'learned' })
  return new Map([
    ['ten', tenant.id],
    ['cmp', job.id],
    ['cpt', conceptId ?? ''],
    ['ver', versionId ?? ''],
    ['cid', artifact?.cid ?? ''],
    ['exp', made.id],
    ['evl', await givenEvaluation(op, job.id)],
    ['mbr', member.id],
    ['key', keyId],
    ['ks', key.slice(0, 15)],
    ['ses', sessionId],
    ['pk', providerKey.id],
    ['rsk', secret?.id ?? ''],
    ['cap', await givenLogged(api, tenant)],
    ['cv', await givenConversation(api, tenant)],
    ['bat', await givenBatch(op, { conceptId: conceptId ?? '', versionId: versionId ?? '' })],
    ['idx', indexId],
    ['doc', documentId],
    ['resp', await givenKeptResponse(op)],
    ['ds', learned.datasetId],
    ['evl', learned.evaluationId],
    ['gat', learned.gateId],
    ['bko', learned.bakeoffId],
    ['inf', learned.measurementId],
    ['cdj', learned.cloudJobId],
    ['pol', learned.poolId],
    ['run', learned.runId],
    ['bpk', learned.packId],
    ...(await givenRows(api, tenant.id, job.id)),
  ])
}

/** Stores four calls of one template and approves them; returns the template. */
export async function givenApproved(api: TestApi, { key }: ApiTenant): Promise<string> {
  const items = ['a', 'b', 'c', 'd'].map((text) => ({
    input: `Write in capitals: ${text}`,
    output: text.toUpperCase(),
  }))
  const stored = await api.call('POST', '/v1/capture/log', { key, body: { namespace: 'support', items } })
  if (stored.status !== 201) throw new Error(stored.text)
  const body = { ids: stored.body.ids, action: 'approve' }
  const reviewed = await api.call('POST', '/v1/captures/review-bulk', { key, body })
  if (reviewed.status !== 200) throw new Error(reviewed.text)
  const listed = await api.call('GET', '/v1/bridges/observations?limit=1', { key })
  return String(listed.body.observations[0]?.template_hash)
}

/** Stores a capture through the API; returns its id. */
export async function givenLogged(
  api: Pick<TestApi, 'call'>,
  { key }: ApiTenant,
  namespace = 'support',
): Promise<string> {
  const body = { namespace, items: [{ input: 'Where is it?', output: 'Here.' }] }
  const stored = await api.call('POST', '/v1/capture/log', { key, body })
  if (stored.status !== 201) throw new Error(stored.text)
  return stored.body.ids[0]
}

/** Keeps a response for later calls; returns its id. */
async function givenKeptResponse(op: TenantAccess): Promise<string> {
  const id = newResponseId()
  const name = ownName(id) ?? ''
  const kept = { input: [{ type: 'message', role: 'user', content: 'Where is it?' }], response: { id, output: [] } }
  await rememberReferences(op, {
    namespace: 'support',
    captureId: newId('cap'),
    begunAt: new Date(),
    isByIds: false,
    references: [
      { key: referenceKey(name), responseKey: null, parentKey: null, provider: null, content: sealById(name, kept) },
    ],
    now: new Date(),
    limits: limits(),
  })
  return id
}

/** Saves a conversation through the API; returns its id. */
async function givenConversation(api: TestApi, { key }: ApiTenant): Promise<string> {
  const body = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Where is it?' }] }
  const saved = await api.call('POST', '/v1/conversations', { key, body })
  if (saved.status !== 200) throw new Error(saved.text)
  return saved.body.conversation_id
}

/** Stores as rows the belongings whose verb needs a mail server or a plan. */
async function givenRows(
  { server }: TestApi,
  tenantId: string,
  jobId: string,
): Promise<readonly (readonly [string, string])[]> {
  const { db } = server.services
  const [teamId, invitationId, shareId, declarationId] = [newId('team'), newId('ivt'), newId('shr'), newId('dcl')]
  const at = [new Date(), new Date(Date.now() + 86_400_000)]
  await sendSql(
    db,
    `insert into teams (id, tenant_id, slug, name, source, created_at, updated_at)
     values ($1, $2, 'a', 'A team of the other', 'manual', $3, $3)`,
    [teamId, tenantId, at[0]],
  )
  await sendSql(
    db,
    `insert into invitations (id, tenant_id, team_id, email, role, token_hash, created_at, expires_at)
     values ($1, $2, $3, 'invitee@example.test', 'member', '\\x00', $4, $5)`,
    [invitationId, tenantId, teamId, ...at],
  )
  await sendSql(
    db,
    `insert into share_links (id, tenant_id, kind, target_id, created_by, created_at, expires_at, opened_count)
     values ($1, $2, 'artifact', $3, 'system:test', $4, $5, 0)`,
    [shareId, tenantId, jobId, ...at],
  )
  await sendSql(
    db,
    `insert into export_declarations (id, tenant_id, destination_id, destination_class, state, ledger, created_at)
     values ($1, $2, 'dwh', 'warehouse', 'declared', '{}', $3)`,
    [declarationId, tenantId, at[0]],
  )
  return [
    ['team', teamId],
    ['ivt', invitationId],
    ['shr', shareId],
    ['dcl', declarationId],
  ]
}
