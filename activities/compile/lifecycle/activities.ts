import type { Lifecycle } from '../../../core/compile/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import { carryOutLife, type LifeEffects } from '../../../db/compile/artifacts/life/carry-out.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import type { ActivityDeps } from '../../kernel/activity-deps.ts'
import { runActivity } from '../../kernel/run-activity.ts'

/** The activity of an artifact's life. Its steps look at the rows as they are, so repeating it is safe. */
export const createLifecycleActivities = (deps: ActivityDeps & { readonly now: () => Date }) => ({
  carryOutLife: ({ artifactId, tenantId }: InputOf<typeof Lifecycle>): Promise<LifeEffects> =>
    runActivity(deps.log, ({ progress }) => {
      const op = systemOperation(deps.db, { tenantId, name: 'lifecycle', requestId: artifactId, now: deps.now })
      return carryOutLife(op, { artifactId, onStep: progress })
    }),
})

/** The activity, as its workflow sees it. */
export type LifecycleActivities = ReturnType<typeof createLifecycleActivities>
