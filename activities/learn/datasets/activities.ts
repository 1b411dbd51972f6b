import type { ErrorCode } from '../../../core/learn/errors.ts'
import { failBuild } from '../../../db/learn/datasets/run-build.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import { buildDataset } from './build-dataset.ts'
import { operationOf, type DatasetDeps, type VersionInput } from './deps.ts'
import { failureText } from './failure-text.ts'

/** The activities of a version of a dataset. All are safe to repeat: files are stored by digest, and the row ends once. */
export const createDatasetActivities = (deps: DatasetDeps) => ({
  buildDataset: (ref: VersionInput) => buildDataset(deps, ref),
  failDataset: ({ errorCode, ...ref }: VersionInput & { readonly errorCode: ErrorCode }): Promise<void> =>
    runActivity(deps.log, async () => {
      await failBuild(operationOf(deps, ref), ref, { code: errorCode, message: failureText(errorCode) })
    }),
})

/** The activities of a version of a dataset, as their workflow sees them. */
export type DatasetActivities = ReturnType<typeof createDatasetActivities>
