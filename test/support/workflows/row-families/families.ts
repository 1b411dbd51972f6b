import { newId } from '../../../../core/kernel/ids.ts'
import { openDunnings } from '../../../../db/billing/account/find-account.ts'
import { cancelPlan } from '../../../../db/billing/subscriptions/cancel-plan.ts'
import { findLife } from '../../../../db/compile/artifacts/life/find-life.ts'
import { moveArtifact } from '../../../../db/compile/artifacts/life/move-artifact.ts'
import { createIndex } from '../../../../db/compile/documents/create-index.ts'
import { findIndex } from '../../../../db/compile/documents/find-index.ts'
import { findExport } from '../../../../db/compile/exports/find-export.ts'
import { findAcceptance } from '../../../../db/compile/progress/acceptances/find-acceptance.ts'
import { findJob } from '../../../../db/compile/jobs/find-job.ts'
import { finishGated } from '../../../../db/compile/jobs/finish/finish-otherwise.ts'
import { listForgets } from '../../../../db/gateway/captures/forget/list-forgotten.ts'
import { findWebhook } from '../../../../db/accounts/webhooks/find-webhook.ts'
import { makeWebhookDue, setWebhook } from '../../../../db/accounts/webhooks/set-webhook.ts'
import { enqueueMail } from '../../../../db/accounts/mails/enqueue-mail.ts'
import { bootstrapWorkspace } from '../../../../db/accounts/across/sign-up/bootstrap.ts'
import { expireWorkspaces } from '../../../../db/overview/across/deletion/expire-workspaces.ts'
import { DEFAULT_LIMITS } from '../../../../core/limits.ts'
import { findVersion } from '../../../../db/learn/datasets/find-dataset.ts'
import { givenCaptured, givenForgotten } from '../../db/given-captures.ts'
import { givenDataset } from '../../db/given-datasets.ts'
import { findEvaluation } from '../../../../db/learn/evals/find-evaluation.ts'
import { givenEvaluation } from '../../db/given-evaluation.ts'
import { findCloudJob } from '../../../../db/learn/cloud/find-cloud-job.ts'
import { findRun } from '../../../../db/learn/distill/find-run.ts'
import { givenRun } from '../../db/given-run.ts'
import { findGate } from '../../../../db/learn/gates/find-gate.ts'
import { givenCloudJob } from '../../db/given-cloud-job.ts'
import { givenGate } from '../../db/given-gate.ts'
import { givenAcceptance, givenExport } from '../../db/given.ts'
import { tenantOf, type Ending, type Family } from './family.ts'
import { MEASURING_FAMILIES } from './measuring-families.ts'
import { mailsTo } from '../../mail/mails.ts'
import { givenProgramArtifact } from '../../archives/signed-artifacts.ts'
import { eventOf, invoiceObject } from '../../stripe/objects.ts'
import { fresh, QUICK } from '../../stripe/paying.ts'
import { nameExamples, submitJob } from '../service.ts'
import { writeAll, sendSql } from '../../db/send-sql.ts'

/** Families that other workflows start: their rows are those of the parent, and the chore `rentals` ends what they leave. */
export const CHILD_FAMILIES = ['rental'] as const

const seconds = (ms: number): number => Math.floor(ms / 1000)

/** The work is done whatever became of the run. */
const always = (state: string): Readonly<Record<Ending, string>> => ({
  cancelled: state,
  terminated: state,
  lost: state,
})

/** Every family that works on rows, by the name of its workflow type. */
export const ROW_FAMILIES: Readonly<Record<string, Family>> = {
  ...MEASURING_FAMILIES,
  compile: {
    ends: { cancelled: 'cancelled', terminated: 'failed', lost: 'ready' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const { job } = await submitJob(op, { examples: nameExamples() })
      await stage.start(job.id)
      return { workflowId: job.id, state: async () => (await findJob(op, job.id)).status }
    },
  },
  export: {
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'succeeded' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const { id } = await givenExport(op, await givenProgramArtifact(op))
      await stage.start(id)
      return { workflowId: id, state: async () => (await findExport(op, id)).state }
    },
  },
  dataset: {
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'ready' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      await givenCaptured(op, { namespace: 'support' })
      const { datasetId, version } = await givenDataset(op, 'support')
      const workflowId = `${datasetId}/v${version}`
      await stage.start(workflowId)
      return { workflowId, state: async () => (await findVersion(op, datasetId, version)).state }
    },
  },
  evaluate: {
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'succeeded' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const id = await givenEvaluation(op, await givenProgramArtifact(op))
      await stage.start(id)
      return { workflowId: id, state: async () => (await findEvaluation(op, id)).state }
    },
  },
  'cloud-distill': {
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'queued' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const { id } = await givenCloudJob(op)
      await stage.start(id)
      return { workflowId: id, state: async () => (await findCloudJob(op, id)).state }
    },
  },
  gate: {
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'succeeded' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const gateId = await givenGate(op)
      await stage.start(gateId)
      return { workflowId: gateId, state: async () => (await findGate(op, gateId)).state }
    },
  },
  distill: {
    // One call is too few to learn from; the code tells who ended the run.
    ends: { cancelled: 'compile_cancelled', terminated: 'distill_failed', lost: 'too_few_examples' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      await givenCaptured(op, { namespace: 'support' })
      const id = await givenRun(op, 'support')
      await stage.start(id)
      return { workflowId: id, state: async () => (await findRun(op, id)).errorCode ?? 'open' }
    },
  },
  index: {
    // The service has no workspaces, so the file is not found, and the call succeeds without it.
    ends: { cancelled: 'failed', terminated: 'failed', lost: 'succeeded' },
    async given(stage) {
      const { op } = await tenantOf(stage)
      const files = [{ path: 'notes.md', staged: null }]
      const id = await createIndex(op, {
        namespace: 'notes',
        force: false,
        embeddingModel: null,
        files,
        limits: DEFAULT_LIMITS,
      })
      await stage.start(id)
      return { workflowId: id, state: async () => (await findIndex(op, id)).state }
    },
  },
  accept: {
    // The job was gated by hand, so no candidate of it is kept.
    ends: always('failed'),
    async given(stage) {
      const { op } = await tenantOf(stage)
      const { job } = await submitJob(op, { examples: nameExamples() })
      const gate = { kScore: 0.5, evaluation: {}, failingRows: [], failingCount: 0, message: 'below the floor' }
      await finishGated(op, { jobId: job.id, limits: DEFAULT_LIMITS, ...gate })
      await givenAcceptance(op, job.id)
      const workflowId = `${job.id}/accept`
      await stage.start(workflowId)
      return { workflowId, state: async () => (await findAcceptance(op, job.id))?.state ?? 'none' }
    },
  },
  lifecycle: {
    ends: always('done'),
    async given(stage) {
      const { op } = await tenantOf(stage)
      const artifactId = await givenProgramArtifact(op)
      const order = { artifactId, toState: 'revoked', reason: 'a leak', evidenceId: null, successorId: null }
      await moveArtifact(op, { ...order, limits: DEFAULT_LIMITS })
      const workflowId = `${artifactId}/lifecycle`
      await stage.start(workflowId)
      const state = async () => ((await findLife(op, artifactId)).transitions[0]?.effectsAt ? 'done' : 'pending')
      return { workflowId, state }
    },
  },
  mail: {
    ends: always('sent'),
    async given(stage) {
      const { db, now, laterMs } = stage
      const to = `${newId('mail')}@example.test`
      const workflowId = await writeAll(db, async (tx) =>
        enqueueMail(tx, db, {
          template: 'sign_in',
          to,
          tenantId: null,
          params: {
            workspace: 'ada-works',
            link: 'https://service.test/#confirm=token',
            expires_at: new Date(now().getTime() + 2 * laterMs).toISOString(),
          },
          now: now(),
        }),
      )
      await stage.start(workflowId)
      return { workflowId, state: async () => (await mailsTo(db, to))[0]?.state ?? 'gone' }
    },
  },
  'webhook-delivery': {
    // No hook can be called at such an address, so the first attempt ends it.
    ends: always('failed'),
    async given(stage) {
      const { op } = await tenantOf(stage)
      const subjectId = await givenProgramArtifact(op)
      const subject = { tenantId: op.tenantId, kind: 'compile.completed', subjectId } as const
      await op.write(async (tx) => {
        await setWebhook(tx, op.db, { ...subject, url: 'ftp://127.0.0.1/', namespace: null, now: op.now() })
        await makeWebhookDue(tx, subject, op.now())
      })
      const [row] = await sendSql<{ id: string }>(op.db, 'select id from webhook_deliveries where subject_id = $1', [
        subjectId,
      ])
      const workflowId = row?.id ?? ''
      await stage.start(workflowId)
      return { workflowId, state: async () => (await findWebhook(op, subject))?.state ?? 'gone' }
    },
  },
  forget: {
    ends: always('done'),
    async given(stage) {
      const { op } = await tenantOf(stage)
      await givenForgotten(op, 'Ada Lovelace')
      const [{ id: workflowId } = { id: '' }] = await listForgets(op)
      await stage.start(workflowId)
      return { workflowId, state: async () => (await listForgets(op))[0]?.state ?? 'gone' }
    },
  },
  billing: {
    ends: always('free'),
    async given(stage) {
      const { now, laterMs, givenPaying, planOf } = stage
      const { op } = await givenPaying(seconds(now().getTime() + laterMs / 2))
      const workflowId = `${op.tenantId}/billing`
      await cancelPlan(op, { limits: QUICK })
      await stage.start(workflowId)
      return { workflowId, state: async () => await planOf(op) }
    },
  },
  dunning: {
    ends: always('suspended'),
    async given(stage) {
      const { now, laterMs, givenPaying, tell } = stage
      const at = seconds(now().getTime())
      const { op, ...ids } = await givenPaying(seconds(Date.now() + 2 * laterMs))
      const change = { status: 'open', amount_paid: 0 }
      const failed = invoiceObject({ ...ids, id: fresh('in'), created: at, change })
      await tell(eventOf(fresh('evt'), 'invoice.payment_failed', at, failed))
      const [dunning] = await openDunnings(op)
      if (dunning?.attempt !== 0 || dunning.state !== 'scheduled') throw new Error('no dunning is scheduled')
      const workflowId = dunning.id
      await stage.start(workflowId)
      return { workflowId, state: async () => (await openDunnings(op))[0]?.state ?? 'over' }
    },
  },
  deletion: {
    ends: always('purged'),
    async given(stage) {
      const { db, now } = stage
      const longAgo = new Date(now().getTime() - (DEFAULT_LIMITS.anonymous_days + 1) * 86_400_000)
      const { tenantId } = await bootstrapWorkspace(db, {
        requestId: newId('req'),
        now: longAgo,
        limits: DEFAULT_LIMITS,
      })
      await expireWorkspaces(db, now())
      const workflowId = `${tenantId}/deletion`
      await stage.start(workflowId)
      const state = async (): Promise<string> => {
        const [row] = await sendSql<{ isPurged: boolean }>(
          db,
          'select purged_at is not null as "isPurged" from tenants where id = $1',
          [tenantId],
        )
        return row?.isPurged === true ? 'purged' : 'deleted'
      }
      return { workflowId, state }
    },
  },
}

/** Families without rows of their own, by schedule: its next tick starts them again. */
export const SCHEDULED_FAMILIES = {
  reconcile: 'reconciliation',
  housekeeping: 'sweeping',
  ledger: 'ledger',
  'capture-partitions': 'captures',
  'observe-traffic': 'traffic',
} as const

/** Types of workflows that no schedule names any more: they end the runs that an earlier version began. */
export const EARLIER_FAMILIES = ['reconcile', 'housekeeping'] as const
