import { BuildDataset } from '../../../core/learn/workflows.ts'
import { listOpenBuilds } from '../../../db/learn/across/open-builds.ts'
import { failBuild } from '../../../db/learn/datasets/run-build.ts'
import { reconciles } from '../../kernel/reconcile/reconcile-family.ts'
import { operationOf } from './deps.ts'
import { failureText } from './failure-text.ts'

/** Fails a version whose run ended without ending it. */
export const reconcileDatasets = reconciles({
  family: BuildDataset,
  open: async ({ db }, page) => await listOpenBuilds(db, page),
  settle: async (deps, ref) => {
    const code = 'dataset_failed'
    await failBuild(operationOf(deps, ref), ref, { code, message: failureText(code) })
    return true
  },
})
