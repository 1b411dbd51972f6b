import type { WorkerDeps } from '../../../../workers/deps.ts'
import { startWorkers, type RunningWorkers } from '../../../../workers/start-workers.ts'
import { testLog } from '../../../support/workflows/quiet-runtime.ts'
import { TEMPORAL_YAML, type TestService } from '../../../support/workflows/service.ts'
import { testBundle } from '../../../support/workflows/bundle.ts'

/** Starts the workers of the service in the middle of a test. */
export async function startWorkersOf(service: TestService, deps: WorkerDeps): Promise<RunningWorkers> {
  return await startWorkers(
    {
      environment: { temporalAddress: service.temporalAddress },
      workflowBundle: await testBundle(),
      namespace: service.temporal.namespace,
      queues: TEMPORAL_YAML.queues,
      deps,
      log: testLog(),
    },
    new AbortController().signal,
  )
}
