import { CloudDistill } from '../../../core/learn/workflows.ts'
import { failCloudJob } from '../../../db/learn/cloud/begin-cloud-job.ts'
import { listOpenCloudJobs } from '../../../db/learn/across/open-cloud-jobs.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails a cloud job whose run ended before the job could begin. */
export const reconcileCloudJobs = reconciles({
  family: CloudDistill,
  open: async ({ db }, page) => await listOpenCloudJobs(db, page),
  settle: async (deps, ref) => {
    const errorCode = 'cloud_job_failed'
    await failCloudJob(operationOf(deps, ref), ref.cloudJobId, { errorCode, message: failureText(errorCode) })
    return true
  },
})
