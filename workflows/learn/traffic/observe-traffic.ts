import { proxyActivities, setCurrentDetails } from '@temporalio/workflow'
import type { TrafficActivities } from '../../../activities/learn/traffic/activities.ts'
import type { TrafficReport } from '../../../activities/learn/traffic/observe-traffic.ts'
import { HOUSEKEEPING } from '../../kernel/policies.ts'

const work = proxyActivities<TrafficActivities>(HOUSEKEEPING)

/** Observes captured traffic: groups new captures by template, and measures the groups. */
export async function observeTraffic(): Promise<TrafficReport> {
  const report = await work.observeTraffic.executeWithOptions(
    { ...HOUSEKEEPING, summary: 'Group new captures by template, and measure the groups' },
    [],
  )
  const { visits, counted, joined, failed } = report
  setCurrentDetails(`visits ${visits} · counted ${counted} · joined ${joined} · failed ${failed}`)
  return report
}
