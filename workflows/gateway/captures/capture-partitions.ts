import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { CaptureActivities } from '../../../activities/gateway/captures/activities.ts'
import type { CaptureReport } from '../../../activities/gateway/captures/keep-captures.ts'
import { HOUSEKEEPING } from '../../kernel/policies.ts'

const chores = proxyActivities<CaptureActivities>(HOUSEKEEPING)

/** Keeps the store of captures: partitions ahead of time, signed chains, the index of the search, the end of old months. */
export async function capturePartitions(): Promise<CaptureReport> {
  const report = await chores.keepCaptures.executeWithOptions(
    {
      ...HOUSEKEEPING,
      summary: 'Make partitions, sign chains, remove months past their days, count calls, index texts',
    },
    [],
  )
  const { made, signed, counted, scanned, indexed, removed } = report
  setCurrentDetails(
    `made ${made} · signed ${signed} · counted ${counted} · scanned ${scanned} · indexed ${indexed} · removed ${removed}`,
  )
  return report
}
