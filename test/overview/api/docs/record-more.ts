import type { Json } from '../../../../core/kernel/json/json.ts'
import { ADMIN_KEY } from '../../../support/api.ts'
import { ADA, GROUP, PATCH } from '../../../support/identity/scim.ts'

/** Departures of a call from that of an account with its key. */
export interface CallHow {
  /** Leaves the call out of the examples. */
  readonly silently?: boolean
  /** Headers in place of the key. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Calls an operation, records it, and returns its answer. */
// oxlint-disable-next-line typescript/no-explicit-any -- answers have every shape
export type RecordCall = (operationId: string, path: string, body?: Json, how?: CallHow) => Promise<any>

const ADMIN: CallHow = { headers: { 'x-admin-key': ADMIN_KEY } }
const GRACE = { givenName: 'Grace', familyName: 'Hopper', formatted: 'Grace Hopper' }
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** Calls the routes of a job that asks, answers its question, and cancels another one. */
export async function recordQuestions(call: RecordCall): Promise<void> {
  const asking = {
    task: 'Write the family name',
    examples: ['Ada Lovelace', 'Grace Hopper', 'Alan Turing'].map((input) => ({
      input,
      output: input.split(' ')[1] ?? '',
    })),
    unlabelled_inputs: ['Donald Ervin Knuth', 'Barbara Liskov'],
    k_score_floor: 0,
    questions: { max: 1, wait: 600 },
  }
  const { job_id: asked } = await call('createCompile', '/v1/compile', asking, { silently: true })
  await untilAsking(call, asked)
  await call('answerCompileQuestion', `/v1/compile/${asked}/answers`, { question: 1, answer: { output: 'Knuth' } })
  const { job_id: cancelled } = await call('createCompile', '/v1/compile', asking, { silently: true })
  await untilAsking(call, cancelled)
  await call('cancelCompile', `/v1/compile/${cancelled}/cancel`)
}

async function untilAsking(call: RecordCall, jobId: string): Promise<void> {
  while ((await call('getCompile', `/v1/compile/${jobId}`, undefined, { silently: true })).asking !== true) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Waits until no job runs: figures by status have a member for each status that a job has. */
async function untilIdle(call: RecordCall): Promise<void> {
  for (const status of ['queued', 'running']) {
    const list = async () => await call('listCompiles', `/v1/compile?status=${status}`, undefined, { silently: true })
    while ((await list()).jobs.length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Calls the routes of the operator. The account gets a plan with SCIM. */
export async function recordAdmin(call: RecordCall, tenantId: string): Promise<void> {
  await untilIdle(call)
  await call('adminGrantPlan', `/v1/admin/tenants/${tenantId}/plan`, { plan: 'business' }, ADMIN)
  await call('adminCreateTenant', '/v1/admin/tenant', { name: 'Difference Engines', quota: 10_000 }, ADMIN)
  await call('joinWaitlist', '/v1/waitlist', { email: 'charles@example.com' })
  await call('submitNote', '/v1/submissions', { email: 'charles@example.com', note: 'When is version 2?' })
  for (const [operation, path] of [
    ['adminListTenants', 'tenants?limit=2'],
    ['adminGetStats', 'stats'],
    ['adminListAudit', 'audit?limit=2'],
    ['adminListJobs', 'compile-jobs?limit=2'],
    ['adminGetHealth', 'health'],
    ['adminGetDiagnostics', 'diagnostics'],
    ['adminListControlFiles', 'control-files'],
    ['adminListSubmissions', 'submissions?limit=2'],
    ['adminListWaitlist', 'waitlist?limit=2'],
  ] as const) {
    await call(operation, `/v1/admin/${path}`, undefined, ADMIN)
  }
}

/** Calls the routes of a directory, as an identity provider does. */
export async function recordScim(call: RecordCall): Promise<void> {
  const { scim_token: token } = await call('rotateScimToken', '/v1/account/sso/scim-token')
  const scim: CallHow = { headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' } }
  const send = async (operationId: string, path: string, body?: Json) =>
    await call(operationId, `/scim/v2${path}`, body, scim)
  await send('getScimServiceProviderConfig', '/ServiceProviderConfig')
  const grace = {
    ...ADA,
    userName: 'grace@example.com',
    name: GRACE,
    emails: [{ value: 'grace@example.com', type: 'work', primary: true }],
  }
  const { id: userId } = await send('createScimUser', '/Users', grace)
  await send('getScimUser', `/Users/${userId}`)
  await send('replaceScimUser', `/Users/${userId}`, { ...grace, name: { ...GRACE, honorificPrefix: 'Rear Admiral' } })
  await send('patchScimUser', `/Users/${userId}`, {
    schemas: [PATCH],
    Operations: [{ op: 'replace', path: 'externalId', value: 'idp-2' }],
  })
  await send('listScimUsers', `/Users?filter=${encodeURIComponent('userName eq "grace@example.com"')}`)
  await send('searchScimUsers', '/Users/.search', { schemas: [SEARCH], filter: 'active eq true', count: 10 })
  const group = { schemas: [GROUP], displayName: 'Analysts', members: [{ value: userId }] }
  const { id: groupId } = await send('createScimGroup', '/Groups', group)
  await send('getScimGroup', `/Groups/${groupId}`)
  await send('replaceScimGroup', `/Groups/${groupId}`, { ...group, displayName: 'Analysis' })
  await send('patchScimGroup', `/Groups/${groupId}`, {
    schemas: [PATCH],
    Operations: [{ op: 'remove', path: `members[value eq "${userId}"]` }],
  })
  await send('listScimGroups', '/Groups?count=10')
  await send('searchScimGroups', '/Groups/.search', { schemas: [SEARCH], count: 10 })
  await send('deleteScimGroup', `/Groups/${groupId}`)
  await send('deleteScimUser', `/Users/${userId}`)
}

const TICKETS = Array.from({ length: 12 }, (_, place) => ({
  prompt: place % 2 === 0 ? `Where is parcel ${place}?` : `Invoice ${place} shows a wrong amount`,
  completion: place % 2 === 0 ? 'shipping' : 'billing',
}))

const TASK = `task: family_names
test_split: test
output_type: generate_until
doc_to_text: "{{input}}"
doc_to_target: "{{output}}"
metric_list:
  - metric: exact_match
`

/** Calls the main routes of datasets, evaluations, gates, compositions and comparisons with two artifacts of one task. */
export async function recordLearning(
  call: RecordCall,
  rows: readonly { readonly input: string; readonly output: string }[],
  [first, second]: readonly [string, string],
): Promise<void> {
  const dataset = await call('createDataset', '/v1/datasets', { namespace: 'support', name: 'tickets', rows: TICKETS })
  await call('getDataset', `/v1/datasets/${dataset.dataset_id}`)
  const evaluation = { task: TASK, target: { artifact_id: first }, data: { test: [...rows] }, name: 'Family names' }
  const { evaluation_id: id } = await call('createEvaluation', '/v1/evals', evaluation)
  while ((await call('getEvaluation', `/v1/evals/${id}`, undefined, { silently: true })).finished_at === null) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await call('getEvaluation', `/v1/evals/${id}`)
  await call('compose', '/v1/compose', { query: 'Family name first', input: 'John Backus' })
  const [a, b] = await Promise.all(
    [first, second].map(
      async (one) => await call('getArtifact', `/v1/artifacts/${one}`, undefined, { silently: true }),
    ),
  )
  await call('diffArtifacts', '/v1/artifact/diff', { a_cid: a.cid, b_cid: b.cid })
}
