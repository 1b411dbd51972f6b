import { proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { LifecycleActivities } from '../../../activities/compile/lifecycle/activities.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Lifecycle } from '../../../core/compile/workflows.ts'
import { changedSignal } from '../accept/messages.ts'
import { FINISH } from '../../kernel/policies.ts'

const work = proxyActivities<LifecycleActivities>(FINISH)

/**
 * Carries out what follows from the transitions of an artifact: share links, exports, the head of its concept, flags on what is
 * built on it. The transitions are rows, so a signal only says that there is another one.
 */
export async function lifecycle({ artifactId, tenantId }: InputOf<typeof Lifecycle>): Promise<void> {
  let isAskedAgain = false
  setHandler(changedSignal, () => {
    isAskedAgain = true
  })
  do {
    isAskedAgain = false
    const { shareLinks, exports, flagged, hasMovedHead } = await work.carryOutLife.executeWithOptions(
      { ...FINISH, summary: 'End links and exports, move the head, flag what is built on it' },
      [{ artifactId, tenantId }],
    )
    const head = hasMovedHead ? 'the head moved' : 'the head stays'
    setCurrentDetails(`ended ${shareLinks} share links and ${exports} exports, flagged ${flagged} artifacts, ${head}`)
  } while (isAskedAgain)
}
