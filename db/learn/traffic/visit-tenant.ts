import type { Limits } from '../../../core/learn/limits.ts'
import type { Operation } from '../../kernel/operation.ts'
import { countTemplates } from './count-templates.ts'
import { boundTemplates, groupTemplates } from './group-templates.ts'
import { takeCaptures } from './take-captures.ts'

/** The work of one visit. */
export interface TrafficVisit {
  /** Templates that were counted. */
  readonly counted: number
  /** New templates that joined a cluster of others. */
  readonly joined: number
  /** True when the tenant has more to observe. */
  readonly isMore: boolean
}

/**
 * Observes the next captures of a tenant: notes their templates, counts those whose figures are out of date, groups the new
 * ones. Each step does what the rows say is due, so a visit may be repeated and may end anywhere.
 */
export async function visitTenant(op: Operation, limits: Limits): Promise<TrafficVisit> {
  const hasMore = await takeCaptures(op)
  const { counted, isMore: isCountDue } = await countTemplates(op)
  const { joined, isMore: isGroupDue } = await groupTemplates(op)
  await boundTemplates(op, limits.traffic_templates_per_tenant)
  return { counted, joined, isMore: hasMore || isCountDue || isGroupDue }
}
