/** Review states of a capture. */
export const REVIEW_STATUSES = ['pending', 'approved', 'rejected', 'quarantined'] as const
/** One of them. */
export type ReviewStatus = (typeof REVIEW_STATUSES)[number]

/** Decisions of a reviewer. */
export const REVIEW_ACTIONS = ['approve', 'reject', 'quarantine'] as const
/** One of them. */
export type ReviewAction = (typeof REVIEW_ACTIONS)[number]

/** A decision, or its withdrawal: the capture waits for a review again. */
export type ReviewDecision = ReviewAction | 'restore'

/** The state after each decision. Every decision is allowed in every state, so that a review can be revised. */
export const REVIEWED_AS: Readonly<Record<ReviewDecision, ReviewStatus>> = {
  approve: 'approved',
  reject: 'rejected',
  quarantine: 'quarantined',
  restore: 'pending',
}
