import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'
import { JobId } from '../../../kernel/wire/ids.ts'
import { JOB_STATUSES } from '../../../compile/rows/task.ts'
import { NextActionView } from './next-action.ts'

/** One surface of the product and its state. */
export const SurfaceView = z.object({
  id: z.string(),
  docs: z.string(),
  routes: z.array(z.object({ method: z.string(), path: z.string() })),
})

/** One step of the first compile. */
export const StepView = z.object({ id: z.enum(['capture', 'compile', 'deploy']), done: z.boolean() })

/** Answer of `GET /v1/account/compiler-overview`. */
export const GetCompilerOverviewAnswer = z.object({
  version: z.string(),
  tenant: z.object({ id: z.string(), name: z.string(), plan: Plan, quota: z.int() }),
  onboarding: z.object({ steps: z.array(StepView) }),
  counts: z.object({
    observed_captures: z.int(),
    capture_sources: z.int(),
    namespaces: z.int(),
    compile_jobs: z.int(),
    artifacts: z.int(),
    specialists: z.int().meta({ description: 'Concepts that answer calls' }),
    calls: z.int(),
  }),
  namespaces: z.array(z.object({ namespace: z.string(), captures: z.int() })).meta({ description: 'The 25 largest' }),
  recent_compile_jobs: z.array(
    z.object({
      id: JobId,
      task: z.string(),
      namespace: z.string().nullable(),
      status: z.enum(JOB_STATUSES),
      artifact_ready: z.boolean(),
      created_at: z.iso.datetime(),
    }),
  ),
  next_actions: z.array(NextActionView),
  primary_surfaces: z.array(SurfaceView),
  secondary_surfaces: z.array(SurfaceView),
  empty_state: z.enum(['nothing_compiled', 'nothing_captured']).nullable(),
  generated_at: z.iso.datetime(),
})
