import type { PlanId } from '../../../kernel/tenant/plans.ts'

/** Lanes of the queue, the last first (the specification's scheduler). */
export const PRIORITY_LANES = ['free', 'pro', 'team', 'enterprise'] as const
/** A lane of the queue. */
export type PriorityLane = (typeof PRIORITY_LANES)[number]

/** Returns the lane of a plan. */
export function laneOfPlan(plan: PlanId): PriorityLane {
  switch (plan) {
    case 'free':
      return 'free'
    case 'starter':
    case 'pro':
      return 'pro'
    case 'teams':
    case 'business':
      return 'team'
    case 'enterprise':
      return 'enterprise'
  }
}

/** Returns the rank of a lane: a fit of a higher one is leased first. */
export function priorityOf(lane: PriorityLane): number {
  return PRIORITY_LANES.indexOf(lane)
}
