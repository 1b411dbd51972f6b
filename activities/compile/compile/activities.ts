import { adoptAnswers } from './stages/adopt-answers.ts'
import { askTeacher } from './ask-teacher/ask-teacher.ts'
import { fitAdapter } from './adapter/fit-adapter.ts'
import { judgeAdapter } from './adapter/judge-adapter.ts'
import { planAdapter } from './adapter/plan-adapter.ts'
import { watchTrainer } from './adapter/watch-trainer.ts'
import { buildArtifact } from './build-artifact.ts'
import { bundle } from './stages/bundle.ts'
import type { CompileDeps } from './deps.ts'
import { finishCancelled, finishFailed, finishGated } from './finish.ts'
import { kSample } from './stages/k-sample.ts'
import type { FailedJob, FitRef, FittedJob, JobRef } from './results.ts'
import { sign } from './stages/sign.ts'
import { failAcceptance, signAccepted } from './stages/sign-accepted.ts'
import { verify } from './stages/verify.ts'

/**
 * The activities of a compile: `buildArtifact` for what is quick, one for each long stage, one per end, and two for a
 * candidate that was accepted; those of single quick stages are for runs of earlier versions. All are idempotent by job
 * and stage, so Temporal may repeat any of them. They pass data through Postgres; their return values are counts and ids.
 */
export const createCompileActivities = (deps: CompileDeps) => ({
  buildArtifact: (job: JobRef) => buildArtifact(deps, job),
  kSample: (job: JobRef) => kSample(deps, job),
  askTeacher: (job: JobRef) => askTeacher(deps, job),
  adoptAnswers: (job: JobRef) => adoptAnswers(deps, job),
  verify: (job: JobRef) => verify(deps, job),
  planAdapter: (job: JobRef) => planAdapter(deps, job),
  fitAdapter: (fit: FitRef) => fitAdapter(deps, fit),
  watchTrainer: (fit: FitRef) => watchTrainer(deps, fit),
  judgeAdapter: (job: FittedJob) => judgeAdapter(deps, job),
  bundle: (job: JobRef) => bundle(deps, job),
  sign: (job: JobRef) => sign(deps, job),
  signAccepted: (job: JobRef) => signAccepted(deps, job),
  failAcceptance: (job: FailedJob) => failAcceptance(deps, job),
  finishGated: (job: JobRef) => finishGated(deps, job),
  finishFailed: (job: FailedJob) => finishFailed(deps, job),
  finishCancelled: (job: JobRef) => finishCancelled(deps, job),
})

/** The compile activities, as their workflow sees them. */
export type CompileActivities = ReturnType<typeof createCompileActivities>
