import type { ErrorCode } from '../../../core/learn/errors.ts'
import { failCloudJob } from '../../../db/learn/cloud/begin-cloud-job.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { beginCloudJob } from './begin-cloud-job.ts'
import { operationOf, type CloudJobDeps, type CloudJobRef } from './deps.ts'
import { failureText } from './failure-text.ts'

/** The activities of cloud jobs. All are safe to repeat: a job begins, and ends, once. */
export const createCloudJobActivities = (deps: CloudJobDeps) => ({
  beginCloudJob: (ref: CloudJobRef) => beginCloudJob(deps, ref),
  failCloudJob: ({ errorCode, ...ref }: CloudJobRef & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      const failure = { errorCode, message: failureText(errorCode) }
      await failCloudJob(operationOf(deps, ref), ref.cloudJobId, failure)
    }),
})

/** The activities of cloud jobs, as their workflow sees them. */
export type CloudJobActivities = ReturnType<typeof createCloudJobActivities>
