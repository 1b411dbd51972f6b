import type { WebhookSubject } from '../../accounts/webhooks/set-webhook.ts'

/** The kind of the message that tells of the artifact of a compile. */
export const DEPLOY_KIND = 'compile.completed'

/** Returns what the deploy hook of a job waits for. */
export function deploySubject({
  tenantId,
  jobId,
}: {
  readonly tenantId: string
  readonly jobId: string
}): WebhookSubject {
  return { tenantId, kind: DEPLOY_KIND, subjectId: jobId }
}
