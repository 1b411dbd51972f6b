import { accountsActivities } from '../activities/accounts/index.ts'
import { billingActivities } from '../activities/billing/index.ts'
import { compileActivities } from '../activities/compile/index.ts'
import { gatewayActivities } from '../activities/gateway/index.ts'
import { learnActivities } from '../activities/learn/index.ts'
import { ledgerActivities } from '../activities/ledger/index.ts'
import { overviewActivities } from '../activities/overview/index.ts'
import type { QueueName } from '../core/kernel/workflows/queues.ts'
import type { WorkerDeps } from './deps.ts'

/** Returns the activities of all areas on a queue. */
export function activitiesOf(deps: WorkerDeps, queue: QueueName): object {
  const areas: readonly Partial<Record<QueueName, object>>[] = [
    ledgerActivities(deps),
    accountsActivities(deps),
    billingActivities(deps),
    gatewayActivities(deps),
    compileActivities(deps),
    learnActivities(deps),
    overviewActivities(deps),
  ]
  return Object.assign({}, ...areas.map((area) => area[queue]))
}
