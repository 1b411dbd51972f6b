import { randomBytes } from 'node:crypto'
import { Accept } from '../../../core/compile/workflows.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { sha256, type Sha256 } from '../../../core/kernel/json/json.ts'
import { DEFAULT_LIMITS, type Limits } from '../../../core/limits.ts'
import { putBlob } from '../../../db/kernel/blobs/put-blob.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { createExport, type CreateExportInput } from '../../../db/compile/exports/create-export.ts'
import { createJob, type CreatedJob, type CreateJobIdempotency } from '../../../db/compile/jobs/create-job.ts'
import { finishGated } from '../../../db/compile/jobs/finish/finish-otherwise.ts'
import { finishReady, type FinishReadyInput } from '../../../db/compile/jobs/finish/finish-ready.ts'
import type { FinishedJob } from '../../../db/compile/jobs/finish/finish.ts'
import { ACCESS, type Operation } from '../../../db/kernel/operation.ts'
import { requestStart } from '../../../db/kernel/outbox/request-start.ts'
import { signUp, type SignedUp } from '../../../db/accounts/across/sign-up/sign-up.ts'
import { CHARGED_TO_NOBODY } from '../../../db/billing/usage/charged-to.ts'

/** The default limits with some replaced. */
export function limits(overrides: Partial<Limits> = {}): Limits {
  return { ...DEFAULT_LIMITS, ...overrides }
}

/** A tenant of the test's own, with an operation in its name. */
export interface GivenTenant extends SignedUp {
  readonly op: Operation
}

/** Signs a new tenant up; the operation has the time of a clock. */
export async function givenTenant(db: Database, now?: () => Date): Promise<GivenTenant> {
  const signedUp = await signUp(db, {
    email: `${randomBytes(8).toString('hex')}@example.test`,
    name: 'Given tenant',
    requestId: newId('req'),
    now: new Date(),
    limits: limits(),
  })
  return { ...signedUp, op: operationOf(db, signedUp, now) }
}

/** An operation of a tenant's primary key. */
export function operationOf(db: Database, { tenant, keyId }: SignedUp, now: () => Date = () => new Date()): Operation {
  return {
    ...ACCESS,
    db,
    tenantId: tenant.id,
    actor: { kind: 'key', keyId },
    scopes: ['*'],
    requestId: newId('req'),
    now,
  }
}

/** Accepts a compile of a small dataset. */
export async function givenJob(
  op: Operation,
  options: {
    readonly limits?: Limits
    readonly task?: string
    readonly conceptId?: string
    readonly earlierJob?: string
    /** The artifact whose adapter the job continues. */
    readonly student?: string
    readonly idempotency?: CreateJobIdempotency
  } = {},
): Promise<CreatedJob> {
  return await createJob(op, {
    spec: {
      task: options.task ?? 'Upper-case the name',
      baseModel: 'none',
      kScoreFloor: 0.85,
      extra: {
        ...(options.earlierJob !== undefined && { earlier_job: options.earlierJob }),
        ...(options.student !== undefined && { distil: { student: { artifact_id: options.student } } }),
      },
    },
    datasetSha256: await givenBlob(op.db, '{"id":"row_1","input":"a","output":"A"}\n'),
    rowCount: 1,
    plan: 'free',
    quota: null,
    chargedTo: CHARGED_TO_NOBODY,
    limits: options.limits ?? limits(),
    ...(options.conceptId === undefined ? {} : { conceptId: options.conceptId }),
    ...(options.idempotency === undefined ? {} : { idempotency: options.idempotency }),
  })
}

/** Stores a text. */
export async function givenBlob(db: Database, text: string): Promise<Sha256> {
  return (await putBlob(db, Buffer.from(text))).sha256
}

/** Ends a job well, with an archive that holds nothing but its id. */
export async function givenReady(op: Operation, jobId: string, set = limits()): Promise<FinishedJob> {
  return await finishReady(op, await readyInput(op.db, jobId, set))
}

/** Requests an export: the archive itself, unless `choices` name another format. */
export async function givenExport(
  op: Operation,
  artifactId: string,
  choices: Partial<CreateExportInput> = {},
): ReturnType<typeof createExport> {
  const archive = { target: 'svc', quant: null, part: 'merged', destination: 'download', limits: limits() }
  return await createExport(op, { artifactId, ...archive, ...choices })
}

/** The data that finishes a job as ready. */
export async function readyInput(db: Database, jobId: string, set = limits()): Promise<FinishReadyInput> {
  const archiveSha256 = await givenBlob(db, `archive of ${jobId}`)
  return {
    jobId,
    limits: set,
    evaluation: { accuracy: 1 },
    failingRows: [],
    trainInputs: ['ada', 'grace'],
    rows: [
      {
        rowId: 'row_1',
        place: 0,
        fold: null,
        result: 'right',
        right: true,
        confidence: null,
        category: 'general',
        unlike: null,
        failedChecks: [],
        rowHash: sha256('row'),
        gotHash: sha256('answer'),
      },
    ],
    artifact: {
      archiveSha256,
      sizeBytes: 1024,
      cid: `cidv1:${sha256(`content of ${jobId}`)}`,
      manifestHash: sha256('manifest'),
      signature: 'hmac-sha256:00',
      recipeKind: 'program',
      baseModel: 'none',
      evalSetHash: sha256('evals'),
      kScore: 0.97,
      holdoutCount: 12,
      kSource: 'holdout',
      manifest: { spec: 'test' },
      receipt: { spec: 'test' },
      signedAt: new Date(),
    },
    evidence: {
      nodes: [
        { id: `signature:${jobId}`, kind: 'signature' },
        { id: 'rcp_1', kind: 'student', hash: 'sha256:00' },
      ],
      edges: [{ from: `signature:${jobId}`, to: 'rcp_1', relationship: 'derived_from' }],
    },
  }
}

/** Accepts a gated job below its floor, without the candidate that would be signed; its workflow is requested. */
export async function givenAcceptance(
  op: Operation,
  jobId: string,
  { isStarted = true }: { readonly isStarted?: boolean } = {},
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .insertInto('compile_acceptances')
      .values({
        job_id: jobId,
        tenant_id: op.tenantId,
        state: 'pending',
        accepted_by: 'key:key_of_a_test',
        accepted_at: op.now(),
        k_score: 0.5,
        k_score_floor: 0.9,
      })
      .execute()
    if (isStarted) await requestStart(tx, Accept, { jobId, tenantId: op.tenantId })
  })
}

/** Creates a job that was gated and then accepted below its floor. No workflow signs it. */
export async function givenPendingAcceptance(op: Operation): Promise<CreatedJob> {
  const created = await givenJob(op)
  const gated = { kScore: 0.5, evaluation: {}, failingRows: [], failingCount: 0, message: 'below its floor' }
  await finishGated(op, { jobId: created.job.id, limits: limits(), ...gated })
  await givenAcceptance(op, created.job.id, { isStarted: false })
  return created
}
