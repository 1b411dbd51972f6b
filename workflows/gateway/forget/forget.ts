import { proxyActivities, setCurrentDetails, setHandler } from '@temporalio/workflow'
import type { ForgetActivities } from '../../../activities/gateway/forget/activities.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Forget } from '../../../core/gateway/workflows.ts'
import { changedSignal } from '../../billing/billing/messages.ts'
import { PURGE } from '../../kernel/policies.ts'

const work = proxyActivities<ForgetActivities>(PURGE)

/** Forgets the captures of a request. Returns how many it forgot. */
export async function forget({ forgetId, tenantId }: InputOf<typeof Forget>): Promise<number> {
  setHandler(changedSignal, () => undefined)
  const forgotten = await work.forgetCaptures.executeWithOptions(
    { ...PURGE, summary: 'Erase contents and sign certificates' },
    [{ forgetId, tenantId }],
  )
  setCurrentDetails(`forgotten ${forgotten}`)
  return forgotten
}
