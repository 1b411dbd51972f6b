import type { Forget } from '../../../core/gateway/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { runForget } from '../../../db/gateway/captures/forget/run-forget.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { runActivity } from '../../kernel/run-activity.ts'
import type { CaptureDeps } from '../captures/deps.ts'

/** The activity that forgets many captures. It continues where the last attempt stopped, so repeating it is safe. */
export const createForgetActivities = (deps: CaptureDeps) => ({
  forgetCaptures: ({ forgetId, tenantId }: InputOf<typeof Forget>): Promise<number> =>
    runActivity(deps.log, ({ signal, progress }) => {
      const op = systemOperation(deps.db, { tenantId, name: 'forget', requestId: forgetId, now: deps.now })
      return runForget(op, { forgetId, signer: deps.signer, learners: deps.learners, signal, onBatch: progress })
    }),
})

/** The activity, as its workflow sees it. */
export type ForgetActivities = ReturnType<typeof createForgetActivities>
